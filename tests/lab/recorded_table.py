"""A journal of the demonstration table, written by the program's own parts, for the tests of the journal's tools."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from controller.game.cards import parse_card
from controller.host.config import TableFile, load_table
from controller.host.journal import Journal
from controller.host.live_table import LiveTable
from controller.host.recorded_rules import texts_of
from controller.table.inputs import (
    CardRead,
    CloseBets,
    Confirm,
    EndShoe,
    LinkState,
    PlaceBet,
    ProgramStarted,
    StartShoe,
    Target,
    VoidCoup,
)
from controller.table.state import new_table

FRAME = bytes.fromhex("051d81b8033443")
SIX = [
    *[("player", 1, "2H"), ("banker", 1, "3C"), ("player", 2, "2S"), ("banker", 2, "KD")],
    *[("player", 3, "4D"), ("banker", 3, "AC")],
]
"""Player 4 draws, Banker 3 draws on a 4: Player wins 8 to 4, with a mixed pair."""


def demo_file() -> TableFile:
    return load_table(Path(__file__).parents[2] / "config" / "tables" / "demo.yaml")


class RecordedTable:
    """A table whose clock a test sets; close it to have the journal at rest."""

    def __init__(
        self, path: Path, at: datetime = datetime(2026, 3, 1, 12, 0, tzinfo=UTC), file: TableFile | None = None
    ) -> None:
        self.file, self.at = file or demo_file(), at
        rules = self.file.rules
        self.journal = Journal.open(path, rules.table, rules.simulation)
        self.journal.add_configuration(rules.identity, texts_of(self.file))
        self.table = LiveTable(self.journal, new_table(rules), lambda: self.at)
        self.orders = 0
        self.table.take(ProgramStarted(0, rules, "1", LinkState.UP, LinkState.NONE))

    def order(self, what: object) -> None:
        self.orders += 1
        answer = self.table.order(what, f"order {self.orders}")  # type: ignore[arg-type]
        assert answer["ok"], answer

    def begins(self) -> None:
        self.order(StartShoe(1))
        self.table.take(CardRead(2, Target.FIRST, 1, parse_card("AH")), FRAME)
        self.table.take(CardRead(2, Target.BURN, 1, None), FRAME)

    def deals(self, *, cards: int = 6) -> None:
        self.order(PlaceBet(3, 1, "player", 10_000))
        self.order(PlaceBet(3, 2, "banker", 20_000))
        self.order(CloseBets(3))
        for target, index, card in SIX[:cards]:
            self.at += timedelta(milliseconds=250)
            self.table.take(CardRead(4, Target(target), index, parse_card(card)), FRAME * 2)

    def coup(self) -> None:
        self.deals()
        self.order(Confirm(5))

    def void(self) -> None:
        self.deals(cards=2)
        self.order(VoidCoup(5))

    def ends(self) -> None:
        self.order(EndShoe(6))

    def close(self) -> None:
        self.journal.close()
