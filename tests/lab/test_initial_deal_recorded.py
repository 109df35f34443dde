"""Wagers that settle at the initial deal, in the journal: told, verified, undone with a void, the same after a kill."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from controller import ctl
from controller.cli import main
from controller.game.cards import parse_card
from controller.game.settlement import Settlement
from controller.host import live_table
from controller.host.config import TableFile, load_table
from controller.host.journal import Journal
from controller.host.startup import rebuilt
from controller.table.events import Event, InitialDealSettled, InitialDealUndone
from controller.table.inputs import CardRead, CloseBets, Confirm, Input, PlaceBet, Target, VoidCoup
from controller.table.state import TableState
from controller.table.table import step
from tests.lab.recorded_table import SIX, RecordedTable

CONFIG = Path(__file__).parents[2] / "config"
EARLY = {"pair-now", "natural-now"}


@pytest.fixture
def file(tmp_path: Path) -> TableFile:
    """The demonstration's table with two wagers that settle at the initial deal."""
    early = """
  pair-now: {wins: {player_pair: [mixed, perfect]}, pays: "11:1", settles: initial-deal}
  natural-now: {wins: {natural: true}, pays: "2:1", settles: initial-deal}
"""
    paytable = (CONFIG / "paytables" / "commission-5.yaml").read_text(encoding="utf-8") + early
    (tmp_path / "early.yaml").write_text(paytable, encoding="utf-8")
    table = (CONFIG / "tables" / "demo.yaml").read_text(encoding="utf-8")
    assert "../paytables/commission-5.yaml" in table
    (tmp_path / "demo.yaml").write_text(table.replace("../paytables/commission-5.yaml", "early.yaml"), encoding="utf-8")
    return load_table(tmp_path / "demo.yaml")


@pytest.fixture
def table(tmp_path: Path, file: TableFile) -> Iterator[RecordedTable]:
    """Seat 1 bets on Player and on its pair, seat 2 on a natural; the bets of coup 1 are closed."""
    table = RecordedTable(tmp_path / "demo.journal", file=file)
    table.begins()
    for seat, wager, stake in ((1, "player", 10_000), (1, "pair-now", 400), (2, "natural-now", 300)):
        table.order(PlaceBet(3, seat, wager, stake))
    table.order(CloseBets(3))
    yield table
    table.close()


def deal(table: RecordedTable, first: int, last: int) -> None:
    for target, index, card in SIX[first:last]:
        table.table.take(CardRead(4, Target(target), index, parse_card(card)))


def said(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    code = main(["journal", *map(str, words)])
    return code, capsys.readouterr().out


def initial_deal(table: RecordedTable) -> object:
    return table.table.state_answer("q")["initial_deal"]


def test_the_state_tells_it_from_the_fourth_card_to_the_end_of_the_coup(table: RecordedTable) -> None:
    deal(table, 0, 3)
    assert initial_deal(table) is None
    deal(table, 3, 4)
    told = initial_deal(table)
    assert isinstance(told, dict)
    assert [(line["seat"], line["wager"], line["result"], line["returned"]) for line in told["lines"]] == [
        (1, "pair-now", "win", 4800),
        (2, "natural-now", "lose", 0),
    ]
    assert (told["staked"], told["returned"], told["house_net"]) == (700, 4800, -4100)
    assert table.table.state_answer("q")["last"] is None
    printed = ctl._state_lines(table.table.state_answer("q"))
    assert [line for line in printed if line.startswith("paid")] == [
        "paid after four cards: seat 1 pair-now win, returned 4800",
        "paid after four cards: seat 2 natural-now lose, returned 0",
    ]
    deal(table, 4, 6)
    assert initial_deal(table) == told
    last = table.table.state_answer("q")["last"]
    assert isinstance(last, dict)
    assert [line for line in last["lines"] if line["wager"] in EARLY] == told["lines"]
    assert (last["staked"], last["returned"]) == (10_700, 24_800)
    table.order(Confirm(5))
    assert initial_deal(table) is None


def test_a_journal_with_it_verifies_replays_and_counts_each_bet_once(
    table: RecordedTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deal(table, 0, 6)
    table.order(Confirm(5))
    path = tmp_path / "demo.journal"
    assert said(capsys, "verify", path)[0] == 0
    assert said(capsys, "replay", path)[0] == 0
    bets = said(capsys, "export", path, "--bets", "csv")[1].splitlines()
    assert [line.split(",")[3:6] for line in bets[1:]] == [
        ["1", "player", "10000"],
        ["1", "pair-now", "400"],
        ["2", "natural-now", "300"],
    ]
    shoe = said(capsys, "export", path, "--shoes", "csv")[1].splitlines()[1].split(",")
    assert shoe[9:12] == ["10700", "24800", "-14100"]


def test_show_tells_what_was_paid_when(
    table: RecordedTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deal(table, 0, 4)
    table.order(VoidCoup(5))
    text = said(capsys, "show", tmp_path / "demo.journal", "--coup", "1")[1]
    for wanted in (
        "the initial deal of coup 1 is settled: Player 2H 2S, Banker 3C KD; paid now, and counted once",
        "  seat 1, pair-now, stake 400: win at 11/1, won 4400, returned 4800",
        "the settlement of the initial deal of coup 1 is undone both ways",
        "  seat 1, pair-now: hands back 4400",
        "  seat 2, natural-now: gets back the stake 300",
        "coup 1 is void (cards 2H 2S 3C KD): stakes of 10700 go back",
    ):
        assert wanted in text, wanted


def test_a_void_after_it_leaves_no_money_behind(
    table: RecordedTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deal(table, 0, 4)
    table.order(VoidCoup(5))
    path = tmp_path / "demo.journal"
    assert said(capsys, "verify", path)[0] == 0
    coup = said(capsys, "export", path, "--coups", "csv")[1].splitlines()[1].split(",")
    assert (coup[3], *coup[11:15]) == ("void", "10700", "10700", "0", "0")
    assert initial_deal(table) is None


@pytest.mark.parametrize("cards", range(7))
def test_a_table_killed_anywhere_in_the_coup_goes_on_as_it_was(
    table: RecordedTable, file: TableFile, tmp_path: Path, cards: int, capsys: pytest.CaptureFixture[str]
) -> None:
    deal(table, 0, cards)
    before, told = table.table.state, initial_deal(table)
    table.close()
    path = tmp_path / "demo.journal"
    journal = Journal.open(path, file.rules.table, file.rules.simulation)
    assert rebuilt(journal, file.rules) == before
    again = live_table.LiveTable(journal, before, lambda: table.at)
    assert again.state_answer("q")["initial_deal"] == told
    for target, index, card in SIX[cards:]:
        again.take(CardRead(4, Target(target), index, parse_card(card)))
    again.order(Confirm(9), "last")
    journal.close()
    assert said(capsys, "verify", path)[0] == 0
    assert said(capsys, "export", path, "--bets", "csv")[1].count("pair-now") == 1


def lost_instead(event: Event) -> list[Event]:
    if not isinstance(event, InitialDealSettled):
        return [event]
    lines = tuple(line._replace(won=0, returned=0) for line in event.settlement.lines)
    return [replace(event, settlement=event.settlement._replace(lines=lines, returned=0))]


def without_a_line(event: Event) -> list[Event]:
    if not isinstance(event, InitialDealSettled):
        return [event]
    lines, money = event.settlement.lines[1:], event.settlement
    return [replace(event, settlement=Settlement(lines, money.staked - 400, 0, 0))]


def nothing_undone(event: Event) -> list[Event]:
    return [] if isinstance(event, InitialDealUndone) else [event]


def less_undone(event: Event) -> list[Event]:
    undone = isinstance(event, InitialDealUndone)
    return [replace(event, settlement=event.settlement._replace(returned=1)) if undone else event]  # type: ignore[call-arg,union-attr]


@pytest.mark.parametrize(
    ("change", "ends", "found"),
    [
        (lambda event: [event], "void", ""),
        (lambda event: [event], "settled", ""),
        (lambda event: [event] * (1 + isinstance(event, InitialDealSettled)), "settled", "settled twice"),
        (lambda event: [] if isinstance(event, InitialDealSettled) else [event], "settled", "settled then were 0"),
        (lost_instead, "settled", "at the initial deal the settlement is returned 0, commission 0"),
        (without_a_line, "settled", "at the initial deal 1 bets were settled that are not those that were placed"),
        (nothing_undone, "void", "what was paid at its initial deal is not undone"),
        (less_undone, "void", "undone is returned 1,"),
    ],
)
def test_what_does_not_follow_is_found_though_the_chain_is_right(
    table: RecordedTable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[Event], list[Event]],
    ends: str,
    found: str,
) -> None:
    def doctored(state: TableState, what: Input) -> tuple[TableState, tuple[Event, ...]]:
        after, events = step(state, what)
        return after, tuple(each for event in events for each in change(event))

    monkeypatch.setattr(live_table, "step", doctored)
    deal(table, 0, 4)
    if ends == "settled":
        deal(table, 4, 6)
    table.order(Confirm(5) if ends == "settled" else VoidCoup(5))
    code, text = said(capsys, "verify", tmp_path / "demo.journal")
    assert code == (1 if found else 0)
    assert found in text


def test_it_is_not_settled_without_such_a_bet(tmp_path: Path, file: TableFile) -> None:
    table = RecordedTable(tmp_path / "plain.journal", file=file)
    table.begins()
    table.deals()
    assert initial_deal(table) is None
    table.close()
