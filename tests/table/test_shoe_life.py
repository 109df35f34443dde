"""A shoe from its start to its end: the cut card, the change, the overdrawn card, whole shoes."""

from random import Random

import pytest
from one_table import (
    BY_FIRST_CARD,
    FIVE_CARDS,
    NO_BURN,
    PLAYER_WINS,
    SIX_CARDS,
    OneTable,
    bets_closed,
    betting,
    burning,
    card_read,
    dealt,
    house,
    owing_at_the_end,
    places,
    shoe_ended,
)

from controller.game.account import account, settled_account
from controller.game.cards import DECK
from controller.game.coup import deal_coup
from controller.game.settlement import Bet, settle
from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.game.wagers import Collect
from controller.table import inputs
from controller.table.events import CoupConfirmed, CoupSettled, ShoeBegun
from controller.table.rules import CloseBy

# The cut card (fault 29)


def coups_until_the_end(table):
    """Play on; the number of the shoe's last coup."""
    if table.phase == "settling":
        table.confirms()
    while table.phase == "betting":
        table.plays(SIX_CARDS)
    assert table.phase == "shoe-ended"
    return table.all_said(CoupConfirmed)[-1].coup


@pytest.mark.parametrize("coups_after", [0, 1, 2])
@pytest.mark.parametrize("cards_before", range(7))
def test_fault_29_the_cut_card_at_each_of_7_points(cards_before, coups_after):
    """Before the first card it makes this coup the last; in a coup, so many coups follow this one."""
    cards = places(SIX_CARDS)
    table = betting(cut_card=CutCard(17, coups_after)).plays(SIX_CARDS).closes()
    table.draws(*cards[:cards_before]).cut_card()
    assert table.held is None
    table.draws(*cards[cards_before:])
    assert coups_until_the_end(table) == (2 if cards_before == 0 else 2 + coups_after)


@pytest.mark.parametrize("coups_after", [0, 1, 2])
def test_fault_29_the_cut_card_while_bets_are_open_makes_the_coup_to_come_the_last(coups_after):
    table = betting(cut_card=CutCard(17, coups_after)).plays(SIX_CARDS).cut_card()
    assert coups_until_the_end(table) == 2


def test_a_second_cut_card_is_noted():
    table = dealt("2C").cut_card().cut_card()
    assert (table.state.last_coup, table.said_names) == (2, ["ShoeReportNoted"])


def test_end_shoe_before_the_last_coup_of_the_cut_card_still_ends_it_at_once():
    assert dealt("2C").cut_card().draws(*places(SIX_CARDS)[1:]).happens(inputs.EndShoe).confirms().phase == "shoe-ended"


def test_a_void_last_coup_was_the_last():
    table = bets_closed().cut_card().deals("2C 3D").voids()
    assert (table.phase, table.said_names) == ("shoe-ended", ["CoupVoided", "ShoeEnded"])
    assert (table.said[1].coups, table.said[1].returned) == (1, 0)


def test_a_burn_that_is_void_is_no_coup_also_after_the_cut_card():
    assert burning().cut_card().draws("burn 2 ??").voids().where == "betting 1"


# The change of the shoe


def changed(**rules):
    return bets_closed(**rules).cut_card().deals(PLAYER_WINS).confirms()


def test_a_start_after_the_cut_card_completes_the_change_once():
    table = changed()
    assert table.phase == "shoe-ended"
    table.powers_on()
    assert (table.where, table.state.shoe) == ("betting 1", 2)
    assert table.powers_on().state.shoe == 2


def test_a_start_after_the_cut_card_completes_the_change_also_across_a_restart():
    assert changed(burn=BurnRule(BurnBy.NONE)).restarts().powers_on().state.shoe == 2


@pytest.mark.parametrize("cards", ["", SIX_CARDS])
def test_a_power_dip_between_the_cut_card_and_the_last_coup_changes_nothing(cards):
    table = betting().closes().deals(SIX_CARDS).cut_card().confirms().closes().deals(cards).powers_on()
    assert (table.held, table.state.shoe, table.state.coup) == (None, 1, 2)


def test_the_next_shoe_may_also_be_started_by_a_person():
    assert changed().shoe_starts().state.shoe == 2


def test_a_cut_card_in_an_ended_shoe_makes_the_start_a_change():
    assert shoe_ended().cut_card().powers_on().where == "betting 1"


def test_the_next_shoe_begins_with_nothing_of_the_last():
    table = changed().overdraws("4H").powers_on()
    state = table.state
    assert (state.last_coup, state.cut_card_out, state.kept, state.road, state.burned) == (None, False, None, (), ())
    assert [event.shoe for event in table.all_said(ShoeBegun)] == [1, 2]
    assert table.tells("tie").said_names == ["ShoeReportNoted"]


# The overdrawn card


def test_the_overdrawn_card_begins_no_coup():
    table = bets_closed().overdraws("4H")
    assert (table.phase, table.said_names, table.out) == ("bets-closed", ["CardKept"], 1)


@pytest.mark.parametrize("close_by", [CloseBy.BUTTON, CloseBy.FIRST_CARD])
def test_named_again_as_players_first_it_is_the_same_card(close_by):
    table = dealt(PLAYER_WINS, close_by=close_by).overdraws("4H").confirms().closes().draws("P1 4H")
    assert (table.hands, table.out) == ("Player 4H Banker -", 5)
    assert table.state.kept is None


@pytest.mark.parametrize("close_by", [CloseBy.BUTTON, CloseBy.FIRST_CARD])
def test_when_bankers_first_comes_it_is_players_first(close_by):
    table = dealt(PLAYER_WINS, close_by=close_by).overdraws("4H").confirms()
    table = table.closes() if close_by is CloseBy.BUTTON else table
    table.draws("B1 5D")
    assert (table.phase, table.hands, table.out) == ("dealing", "Player 4H Banker 5D", 6)


def test_another_card_for_its_place_is_a_conflict_and_the_first_one_stays():
    table = bets_closed().overdraws("4H").draws("P1 9C")
    assert table.held == "card-conflict at bets-closed"
    assert table.resumes().hands == "Player 4H Banker -"


def test_a_void_ends_such_a_conflict_for_good():
    table = bets_closed().overdraws("4H").draws("P1 9C").voids()
    assert (table.state.kept, table.out) == (None, 2)
    assert table.plays(PLAYER_WINS).where == "betting 3"


def test_it_stays_for_the_next_coup_when_the_coup_it_is_not_of_is_void():
    table = dealt("2C 3D").overdraws("4H").voids().closes().draws("P1 4H")
    assert (table.phase, table.out) == ("dealing", 3)


def test_it_may_be_entered_for_its_place():
    table = bets_closed().overdraws("4H").errs(1).enters("player-1", "4H")
    assert (table.out, table.state.kept) == (1, None)


@pytest.mark.parametrize("table", [OneTable, shoe_ended])
def test_without_a_shoe_in_play_it_is_only_said(table):
    table = table().overdraws("4H")
    assert (table.said_names, table.state.kept) == (["CardKept"], None)


def test_a_card_that_was_not_read_is_kept_unseen():
    table = bets_closed().happens(inputs.CardOverdrawn, None).draws("P1 9C")
    assert (table.hands, table.out) == ("Player 9C Banker -", 2)


# Whole shoes, against the game's own functions


def shuffled(random, decks):
    cards = list(DECK) * decks
    random.shuffle(cards)
    return cards


def random_bets(random):
    bets = {}
    for _ in range(random.randrange(4)):
        seat, wager = random.choice((1, 2, 3, 5)), random.choice(("player", "banker", "tie", "player-pair"))
        bets[seat, wager] = Bet(seat, wager, random.randrange(1, 10_000))
    return tuple(bets.values())


@pytest.mark.parametrize("seed", range(8))
def test_a_whole_shoe_is_what_the_game_says_of_its_cards(seed):
    """Burn, coups with bets, cut card, end: cards, winners and money against `deal_coup`, `account` and `settle`."""
    random = Random(seed)
    decks, collect = random.choice((4, 6, 8)), random.choice(tuple(Collect))
    close_by, burn = random.choice(tuple(CloseBy)), random.choice((BY_FIRST_CARD, NO_BURN, BurnRule(BurnBy.FIXED, 4)))
    cards = iter(shuffled(random, decks))
    table = OneTable(decks=decks, collect=collect, close_by=close_by, burn=burn).shoe_starts()
    taken = burn_by_the_rule(table, cards)
    cut_after = decks * 52 - 40
    while table.phase == "betting":
        bets = random_bets(random)
        for bet in bets:
            table.bets(bet.seat, bet.wager, bet.stake)
        if close_by is not CloseBy.FIRST_CARD:
            table.closes()
        table.draws(*places_of(deal := [next(cards) for _ in range(6)]))
        coup = deal_coup(deal)
        cards = iter([*deal[len(coup.player) + len(coup.banker) :], *cards])
        taken += len(coup.player) + len(coup.banker)
        settled = table.all_said(CoupSettled)[-1]
        paytable = table.state.rules.paytable
        assert (settled.hands, settled.settlement) == (coup, settle(paytable, bets, coup))
        shown = settled_account(coup, [wager for wager, _ in settled.wins], settled.pushes, settled.settlement)
        assert shown == account(paytable, bets, coup)
        assert table.out == taken
        if taken > cut_after and not table.state.cut_card_out:
            table.cut_card()
        table.confirms()
    assert table.phase == "shoe-ended"
    assert len(table.all_said(CoupConfirmed)) == len(table.state.road) == table.state.last_coup
    owed = sum(event.settlement.commission for event in table.all_said(CoupSettled))
    assert sum(amount for _, amount in table.state.owed) == (owed if collect is Collect.LEDGER else 0)
    assert table.replayed() == (table.state, table.events)


def burn_by_the_rule(table, cards):
    """Burn what the rule asks; how many cards that took."""
    taken = 0
    if table.phase == "burning" and table.state.burn_due is None:
        table.draws(f"first 1 {next(cards)}")
        taken = 1
    while table.phase == "burning":
        table.draws(f"burn {len(table.state.burned) + 1} {next(cards)}")
        taken += 1
    return taken


def places_of(deal):
    """The reports of a coup from the top of these six cards: no more than it needs."""
    coup = deal_coup(deal)
    used = len(coup.player) + len(coup.banker)
    thirds = [f"P3 {coup.player[2]}"] if len(coup.player) == 3 else []
    thirds += [f"B3 {coup.banker[2]}"] if len(coup.banker) == 3 else []
    return [*places(" ".join(map(str, deal[:4]))), *thirds][:used]


def test_the_tests_words_say_what_they_mean():
    assert card_read("burn 10 ??") == inputs.CardRead(0, inputs.Target.BURN, 10, None)
    assert places(SIX_CARDS)[4:] == ["P3 5H", "B3 4S"]
    assert places("6C 5D TC TD 4S")[4:] == ["B3 4S"]
    assert house(decks=6).decks == 6


# Commission that is still owed when the shoe is over


def ended_by_order(**rules):
    table = betting(**{"collect": Collect.LEDGER} | rules).bets(3, "banker", 100)
    return table.closes().deals(FIVE_CARDS).happens(inputs.EndShoe).confirms()


def ended_by_a_void(**rules):
    """The last coup is void, the one before it went onto the ledger."""
    table = betting(**{"collect": Collect.LEDGER} | rules).bets(3, "banker", 100)
    return table.plays(FIVE_CARDS).cut_card().closes().voids()


def ended_early(**rules):
    """A card came before the last coup was confirmed; resume confirmed it."""
    table = betting(**{"collect": Collect.LEDGER, "cut_card": CutCard(14, 0)} | rules).bets(3, "banker", 100)
    return table.closes().deals(FIVE_CARDS).cut_card().draws("P1 2C").resumes()


WAYS_TO_END = (owing_at_the_end, ended_by_order, ended_by_a_void, ended_early)


@pytest.mark.parametrize("ended", WAYS_TO_END)
def test_no_shoe_is_started_while_a_seat_owes(ended):
    table = ended()
    assert (table.phase, table.state.owed) == ("shoe-ended", ((3, 5),))
    assert table.shoe_starts().refused == "ledger-open"
    assert table.said[0].text == "commission is owed: seat 3 owes 5; collect it first (collect SEAT)"
    assert table.happens(inputs.CollectCommission, 3).shoe_starts().where == "betting 1"


def test_who_owes_is_named_seat_by_seat():
    table = betting(collect=Collect.LEDGER, cut_card=CutCard(14, 0)).bets(3, "banker", 100).bets(1, "banker", 60)
    table.closes().deals(FIVE_CARDS).cut_card().confirms().shoe_starts()
    assert "seat 1 owes 3, seat 3 owes 5" in table.said[0].text
    assert table.happens(inputs.CollectCommission, 1).shoe_starts().refused == "ledger-open"
    assert "seat 3 owes 5;" in table.said[0].text


@pytest.mark.parametrize("ended", WAYS_TO_END)
def test_a_shoe_that_tells_its_start_begins_nothing_while_a_seat_owes(ended):
    table = ended().powers_on()
    assert (table.phase, table.state.shoe, table.said_names) == ("shoe-ended", 1, ["ShoeReportNoted"])
    told = "start of communication; commission is owed: seat 3 owes 5; collect it first (collect SEAT), then start-shoe"
    assert table.said[0].what == told


def test_the_burn_that_came_meanwhile_waits_for_the_collection():
    table = ended_by_order().restarts(house(identity="rules-2", collect=Collect.LEDGER, burn=BY_FIRST_CARD))
    table.happens(inputs.AcceptChange, "A. Supervisor", "another burn")
    table.powers_on().draws("first 1 3C", "burn 1 ??", "burn 2 ??")
    assert (table.held, table.waiting) == ("shoe-unknown at shoe-ended", 2)
    assert "seat 3 owes 5" in table.state.hold.text
    assert table.shoe_starts().refused == "ledger-open"
    assert table.restarts(house(identity="rules-2", collect=Collect.LEDGER, burn=BY_FIRST_CARD)).waiting == 2
    table.happens(inputs.CollectCommission, 3).shoe_starts()
    assert (table.phase, table.state.shoe, len(table.state.burned)) == ("burning", 2, 2)
    assert table.draws("burn 3 ??").where == "betting 1"


def test_a_start_that_waited_behind_the_last_coup_begins_nothing_either():
    """The shoe was changed while the table was held with the coup still to be confirmed."""
    table = betting(collect=Collect.LEDGER, cut_card=CutCard(14, 0)).bets(3, "banker", 100)
    table.closes().deals(FIVE_CARDS).cut_card().draws("P1 2C").powers_on().resumes()
    assert (table.phase, table.state.shoe, table.state.owed) == ("shoe-ended", 1, ((3, 5),))


def test_without_debts_the_shoe_that_tells_its_start_begins():
    assert owing_at_the_end().happens(inputs.CollectCommission, 3).powers_on().where == "betting 1"
