"""What `check` makes of exact odds: each mistake on its line, errors where it costs the house; `accept` excuses."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.odds import Odds
from controller.game.settlement import payable_multiple
from controller.game.wagers import NEVER, Collect, Paytable, Rounding, RoundMode, RoundOf, Tier, Wager
from controller.host import config_odds, config_rounding
from controller.host.config import check
from controller.host.config_file import source
from controller.host.yaml_strict import parse
from controller.table.rules import Limit

HEAD = "format: punto-paytable 1\nname: Odd\nrounding: {of: payout, mode: down, to: 25}\nwagers:\n"
PLAYER = "  player: {wins: {winner: player}, pushes: {winner: tie}, pays: 1:1}\n"
TABLE = """\
format: punto-table 1
id: t-1
name: A table
seats: [1]
currency: {code: THB, decimals: 2}
paytable: pays.yaml
limits: {LIMITS}
shoe:
  decks: 8
  burn: {by: first-card}
  cut_card: {depth: 14, coups_after: 1}
  driver: simulated
simulation: true
"""


@pytest.fixture
def told(tmp_path):
    """Checks a paytable, with limits as the paytable of a table; mistakes and warnings without the folder's name."""

    def checked(wagers, limits=None, head=HEAD, decks=8):
        table = TABLE.replace("{LIMITS}", limits or "{}").replace("decks: 8", f"decks: {decks}")
        for name, text in (("pays.yaml", head + wagers), ("table.yaml", table)):
            (tmp_path / name).write_text(text)
            (tmp_path / name).chmod(0o644)
        found = check([tmp_path / ("pays.yaml" if limits is None else "table.yaml")])
        return tuple([text.replace(f"{tmp_path}/", "") for text in texts] for texts in found[:2])

    return checked


def test_sound_wagers_pass(told):
    assert told(PLAYER + "  tie: {wins: {winner: tie}, pays: 8:1}\n") == ([], [])


def test_a_wager_that_favours_the_players_is_an_error_on_its_line(told):
    mistakes, _ = told(PLAYER + "  tie: {wins: {winner: tie}, pays: 12:1}\n")
    assert mistakes == [
        "pays.yaml:6:36: wagers.tie.pays: of each unit staked the players win 23.7028 % (8 decks); "
        "lower what it pays [favours-players]\n"
        "      tie: {wins: {winner: tie}, pays: 12:1}\n"
        "                                       ^"
    ]


def test_with_tiers_the_whole_wager_is_named(told):
    tiers = "    tiers:\n      - {wins: {cards: 4}, pays: 3:1}\n      - {wins: {cards: 5}, pays: 1:1}\n"
    mistakes, _ = told(PLAYER + "  few:\n" + tiers)
    assert [each.split("\n")[0] for each in mistakes] == [
        "pays.yaml:6:3: wagers.few: of each unit staked the players win 112.2362 % (8 decks); "
        "lower what it pays [favours-players]"
    ]


def test_a_table_is_checked_with_its_own_decks(told):
    mistakes, _ = told(PLAYER + "  tie: {wins: {winner: tie}, pays: 12:1}\n", limits="{}")
    assert len(mistakes) == 1
    assert "(8 decks)" in mistakes[0]


def test_what_the_tables_decks_have_no_cards_for_never_pays(told):
    """One deck has each card once: no perfect pair, and no two nines of a suit; eight decks have both."""
    wagers = (
        "  perfect: {wins: {player_pair: perfect}, pays: 25:1}\n"
        "  nines:\n    pushes: {nines_in_four: 2, nine_suits_in_four: 1}\n    tiers:\n"
        "      - {wins: {nines_in_four: 4, nine_suits_in_four: [1, 2]}, pays: 25:1}\n"
        "      - {wins: {nines_in_four: 4}, pays: 25:1}\n"
    )
    assert told(wagers, "{}", decks=8) == ([], [])
    assert [each.split("\n")[0] for each in told(wagers, "{}", decks=1)[1]] == [
        "pays.yaml:5:19: wagers.perfect.wins: never pays: no coup from 1 deck meets it [never-pays]",
        "pays.yaml:9:16: wagers.nines.tiers.1.wins: never pays: no coup from 1 deck meets it [never-pays]",
        "pays.yaml:7:13: wagers.nines.pushes: never pushes: no coup from 1 deck meets it [never-pushes]",
    ]
    known = wagers.replace("25:1}\n", "25:1, accept: [never-pays]} # with more decks\n", 1)
    assert len(told(known, "{}", decks=1)[1]) == 2


def test_what_is_accepted_is_no_mistake(told):
    accepted = "  tie: {wins: {winner: tie}, pays: 12:1, accept: [favours-players]} # for one night\n"
    assert told(PLAYER + accepted) == ([], [])


def test_another_reason_excuses_nothing(told):
    mistakes, _ = told(PLAYER + "  tie: {wins: {winner: tie}, pays: 12:1, accept: [odds-differ]}\n")
    assert len(mistakes) == 1


def test_what_is_accepted_without_a_comment_is_warned_of(told):
    accepted = "{wins: {winner: tie}, pays: 12:1, accept: [favours-players]}"
    assert told(f"  tie: {accepted}\n") == (
        [],
        [
            "pays.yaml:5:50: wagers.tie.accept: accepted without a comment; "
            "write why behind a # here or on the line before"
        ],
    )
    assert told(f"  # for one night\n  tie: {accepted}\n") == ([], [])
    assert told(f"  tie: {accepted} # for one night\n") == ([], [])
    lines = "  tie:\n    wins: {winner: tie}\n    pays: 20:1\n    accept:\n"
    assert told(lines + "      - favours-players # for one night\n      - odds-differ\n") == ([], [])
    assert told(lines + "      - favours-players\n      - odds-differ # for one night\n") == ([], [])
    assert len(told(lines + "      - favours-players\n      - odds-differ\n    # no reason\n")[1]) == 1


def test_a_reason_that_no_check_gives_is_told(told):
    _, warnings = told("  tie: {wins: {winner: tie}, pays: 8:1, accept: [odds-differ, favour-players]} # why\n")
    assert warnings == ["pays.yaml:5:63: wagers.tie.accept.2: no check gives this reason; did you mean favours-players"]


@pytest.mark.parametrize(
    ("wager", "said"),
    [
        (
            "{wins: {winner: tie}, pays: 80:1}",
            "pays: 80:1, and the catalogue pays 8:1 or 9:1 for the same [odds-differ]",
        ),
        ("{wins: {margin: 0}, pays: 80:1}", "pays: 80:1, and the catalogue pays 8:1 or 9:1 for the same [odds-differ]"),
        ("{wins: {winner: tie}, pays: 3:1}", "pays: 3:1, and the catalogue pays 8:1 or 9:1 for the same [odds-differ]"),
        (
            "{wins: {winner: banker}, pushes: {winner: tie}, pays: 1:1, commission: 20%}",
            "commission: 20.00 %, and the catalogue takes 4.00 % or 5.00 % of the same [commission-differs]",
        ),
        (
            "{wins: {winner: banker}, pushes: {winner: tie}, pays: 19:20, commission: 5%}",
            "commission: 19:20 has 5.00 % in it already, and 5.00 % is taken again; "
            "the catalogue takes 4.00 % or 5.00 % of the same [commission-differs]",
        ),
        (
            "{tiers: [{wins: {winner: banker, banker_total: 6, banker_cards: 3}, pays: 20:1},"
            " {wins: {winner: banker, banker_total: 6}, pays: 120:1}]}",
            "tiers.2.pays: 120:1, and the catalogue pays 12:1 for the same [odds-differ]",
        ),
        ("{wins: {pairs: [1, 2]}, pays: 1:1}", "pays: 1:1, and the catalogue pays 5:1 for the same [odds-differ]"),
    ],
)  # fmt: skip
def test_odds_far_from_the_catalogues_are_warned_of_whatever_the_name_and_the_words(told, wager, said):
    _, warnings = told(f"  it: {wager}\n")
    assert [warning.partition("wagers.it.")[2] for warning in warnings if "catalogue" in warning] == [said]


@pytest.mark.parametrize("pays", ["19:20", "24:25", "1:1, commission: 5%", "1:1, commission: 4.5%", "191:200"])
def test_a_commission_may_stand_in_the_odds(told, pays):
    assert told(f"  it: {{wins: {{winner: banker}}, pushes: {{winner: tie}}, pays: {pays}}}\n") == ([], [])


def test_odds_that_leave_much_less_than_the_catalogues_commission_does_are_warned_of(told):
    _, warnings = told("  it: {wins: {winner: banker}, pushes: {winner: tie}, pays: 4:5}\n")
    assert [warning.partition("wagers.it: ")[2] for warning in warnings] == [
        "20.00 % less than 1:1, and the catalogue takes 4.00 % or 5.00 % of the same [commission-differs]"
    ]


@pytest.mark.parametrize("odds", ["16:1", "18:1", "4:1", "10:1"])
def test_odds_within_twice_the_catalogues_pass(told, odds):
    _, warnings = told(f"  it: {{wins: {{winner: tie}}, pays: {odds}}}\n")
    assert warnings == []


def test_without_a_catalogue_it_is_said_that_odds_were_not_compared(told, monkeypatch, tmp_path):
    monkeypatch.setattr(config_odds, "CATALOGUE", tmp_path / "none")
    config_odds._paytables.cache_clear()
    config_odds._catalogue.cache_clear()
    try:
        _, warnings = told(PLAYER)
    finally:
        config_odds._paytables.cache_clear()
        config_odds._catalogue.cache_clear()
    assert warnings == ["pays.yaml:1:1: odds were not compared: no catalogue in none"]


BANKER = "  banker: {wins: {winner: banker}, pushes: {winner: tie}, pays: 1:1, commission: 5%}\n"
UP = HEAD.replace("down", "up")


def test_rounding_up_at_small_stakes_is_an_error_at_the_least_stake_it_helps(told):
    mistakes, _ = told(BANKER + PLAYER, "{banker: {min: 100, max: 1000, multiple: 10}, player: {min: 50, max: 75}}", UP)
    assert [each.split("\n")[0] for each in mistakes] == [
        "pays.yaml:5:3: wagers.banker: rounded, the players win 1.2351 % of a stake of 100; "
        "write another rounding, or a larger min and multiple in the table [rounding-favours-players]",
        "pays.yaml:6:3: wagers.player: rounded, the players win 19.7648 % of a stake of 51; "
        "write another rounding, or a larger min and multiple in the table [rounding-favours-players]",
    ]


def test_rounding_up_is_harmless_where_stakes_divide(told):
    assert told(BANKER + PLAYER, "{banker: {min: 500, max: 9000, multiple: 500}, player: {min: 25, max: 75, multiple: 25}}", UP) == ([], [])  # fmt: skip  # noqa: E501


def rounded_to(rounding):
    return HEAD.replace("{of: payout, mode: down, to: 25}", rounding)


@pytest.mark.parametrize(
    ("rounding", "wager", "limit", "least"),
    [
        ("{of: payout, mode: nearest, to: 1000}", PLAYER, "{min: 100, max: 100000}", 500),
        ("{of: payout, mode: nearest, to: 500}", PLAYER, "{min: 1, max: 100000}", 250),
        ("{of: payout, mode: nearest, to: 1000000007}", PLAYER, "{min: 1, max: 9223372036854775807}", 500000004),
        ("{of: commission, mode: down, to: 1000}", BANKER, "{min: 20000, max: 100000, multiple: 50}", 37150),
        ("{of: commission, mode: down, to: 25}", BANKER, "{min: 500, max: 100000}", 929),
        ("{of: commission, mode: down, to: 100}", BANKER, "{min: 2000, max: 100000, multiple: 5}", 3715),
        ("{of: commission, mode: nearest, to: 100}", BANKER, "{min: 1500, max: 100000}", None),
    ],
)
def test_the_least_stake_that_rounding_favours_is_found_however_far_up(told, rounding, wager, limit, least):
    mistakes, _ = told(wager, f"{{{wager.split(':')[0].strip()}: {limit}}}", rounded_to(rounding))
    said = [each.partition(" of a stake of ")[2].partition(";")[0] for each in mistakes]
    assert said == ([] if least is None else [str(least)])


def test_rounding_that_cannot_be_looked_at_in_full_is_told(told, monkeypatch):
    monkeypatch.setattr(config_rounding, "_MOST_PIECES", 0)
    mistakes, warnings = told(PLAYER, "{player: {min: 30, max: 900, multiple: 30}}", rounded_to("{of: payout, mode: nearest, to: 25}"))  # fmt: skip  # noqa: E501
    assert mistakes == []
    assert [each.partition("player: ")[2] for each in warnings] == [
        "rounding was looked at up to a stake of 30 only: it is too fine at these odds; "
        "write a rounding of less, a max in the table, or plainer odds [rounding-unknown]"
    ]


def test_a_win_that_rounds_to_nothing_is_warned_of(told):
    _, warnings = told(PLAYER, "{player: {min: 20, max: 1000, multiple: 10}}")
    assert [warning for warning in warnings if "pays-nothing" in warning] == [
        "pays.yaml:5:65: wagers.player.pays: rounded, 1:1 of a stake of 20 wins nothing; "
        "write a larger min in the table [pays-nothing]"
    ]


def test_a_win_that_cannot_be_paid_of_a_stake_that_nothing_forbids_is_warned_of(told):
    _, warnings = told(BANKER, "{}", HEAD.replace("down, to: 25", "exact"))
    assert warnings == [
        "pays.yaml:5:65: wagers.banker.pays: 1:1 of a stake of 1 cannot be paid exactly; "
        "give the wager a limit with a multiple in the table [not-payable]"
    ]


def test_a_dead_tier_may_be_accepted(told):
    dead = "{tiers: [{wins: {winner: tie}, pays: 8:1}, {wins: {margin: 0}, pays: 9:1}]"
    assert [warning[-12:] for warning in told(f"  it: {dead}}}\n")[1]] == ["[never-pays]"]
    assert told(f"  it: {dead}, accept: [never-pays]}} # seen\n") == ([], [])


def test_a_wager_asks_for_two_ranks_by_place_at_most(told):
    three = "{player_first_rank: A, player_second_rank: A, banker_first_rank: A}"
    (mistake,), _ = told(f"  it: {{wins: {three}, pays: 100:1}}\n")
    assert "banker_first_rank, player_first_rank, player_second_rank: at most 2 of these in one wager" in mistake


def favoured(house, limit):
    """By trying every stake."""
    wager, paytable = house.wager, house.paytable
    for stake in range(-(-limit.minimum // limit.multiple) * limit.multiple, limit.maximum + 1, limit.multiple):
        payable = stake % payable_multiple(paytable, wager) == 0
        if payable and house.keeps(stake) < 0:
            return stake
    return None


ROUNDINGS = st.builds(
    Rounding, st.sampled_from(RoundOf), st.sampled_from(RoundMode), st.sampled_from([1, 5, 7, 25, 100])
)
PAYS = st.builds(Fraction, st.integers(1, 12), st.sampled_from([1, 2, 7, 20]))
TIERS = st.lists(st.tuples(st.integers(1, 50), PAYS), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    tiers=TIERS,
    ahead=st.integers(0, 20),
    push=st.integers(0, 50),
    percent=st.sampled_from([0, 4, 5, 50, 99]),
    rounding=ROUNDINGS,
    collect=st.sampled_from(Collect),
    least=st.integers(1, 300),
    more=st.integers(0, 2000),
    multiple=st.sampled_from([1, 2, 5, 25, 50]),
)
def test_what_the_search_finds_is_what_trying_every_stake_finds(
    tiers, ahead, push, percent, rounding, collect, least, more, multiple
):
    commission = Fraction(percent, 100)
    nets = tuple(pays * (1 - commission) for _, pays in tiers)
    lose = ceil(sum(ways * net for (ways, _), net in zip(tiers, nets, strict=True))) + ahead
    exact = Odds(tuple(ways for ways, _ in tiers), push, lose, nets)
    wager = Wager("w", tuple(Tier(NEVER, pays) for _, pays in tiers), commission=commission)
    paytable = Paytable("p", collect, rounding, (wager,))
    limit = Limit(least, least + more, multiple)
    found = list(config_rounding.gained(parse(source("p", "format: x\n")), paytable, wager, exact, limit))
    wanted = favoured(config_rounding._House(paytable, wager, exact), limit)
    said = [each.finding.text.partition(" of a stake of ")[2].partition(";")[0] for each in found]
    assert said == ([] if wanted is None else [str(wanted)])
