"""What the house decided for a table: the validated configuration as frozen values. Amounts are whole minor units."""

from dataclasses import dataclass
from enum import Enum

from controller.game.shoe import BurnRule, CutCard
from controller.game.wagers import Collect, Paytable


class CloseBy(Enum):
    """What closes the bets."""

    BUTTON = "button"
    FIRST_CARD = "first-card"
    TIMER = "timer"


class EmptyCoup(Enum):
    """What becomes of a coup on which nobody bet."""

    DEAL = "deal"
    REFUSE = "refuse"


class Reveal(Enum):
    """When the public may see a card that the reader already knows."""

    AT_ONCE = "at-once"
    COMPLETE_HANDS = "complete-hands"
    DEALER = "dealer"


@dataclass(frozen=True, slots=True)
class Limit:
    """Least and most of a seat's total on one wager; every stake a multiple of `multiple`."""

    minimum: int
    maximum: int
    multiple: int = 1


@dataclass(frozen=True, slots=True)
class HouseRules:
    """All that decides how one table is conducted and paid.

    `identity` is the SHA-256 (hex) of the files it was read from. `betting_s` counts only with CloseBy.TIMER;
    `settle_after_s` None means that the dealer confirms; 0 ends settling in the same input.
    """

    identity: str
    table: str
    name: str
    language: str
    currency: str
    decimals: int
    seats: tuple[int, ...]
    simulation: bool
    paytable: Paytable
    limits: tuple[tuple[str, Limit], ...]
    differential: int | None
    bar_both_sides: bool
    close_by: CloseBy
    betting_s: int
    empty_coup: EmptyCoup
    reveal: Reveal
    settle_after_s: int | None
    decks: int
    burn: BurnRule
    cut_card: CutCard
    quiet_s: int

    def __hash__(self) -> int:
        """Rules are known by their identity; hashing all of them would take longer than most uses."""
        return hash(self.identity)

    def limit(self, wager: str) -> Limit | None:
        """The limit of one wager, None when the layout sets none."""
        return dict(self.limits).get(wager)

    @property
    def collects_later(self) -> bool:
        """Whether commission goes onto a ledger a seat instead of being taken at each win."""
        return self.paytable.collect is Collect.LEDGER
