"""What can happen to a table. Every input carries `at_ms`, milliseconds of the host's clock that never goes back."""

from dataclasses import dataclass
from enum import Enum

from controller.game.cards import Card
from controller.game.coup import Place
from controller.table.rules import HouseRules


class Target(Enum):
    """Whom the shoe says a card is for: a hand, the burn, the face-up first card, or only the burn's count."""

    PLAYER = "player"
    BANKER = "banker"
    BURN = "burn"
    FIRST = "first"
    COUNT = "count"


class Link(Enum):
    """The two lines of a table."""

    SHOE = "shoe"
    DISPLAY = "display"


class LinkState(Enum):
    """How a line is; NONE when the table has no such device."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


# The program and its surroundings.


@dataclass(frozen=True, slots=True)
class ProgramStarted:
    """The controller starts (again) with these rules; timers begin anew.

    `tableau`, `transitions` and `files` are SHA-256 (hex) of what decides money in this version of the program.
    """

    at_ms: int
    rules: HouseRules
    version: str
    shoe_link: LinkState
    display_link: LinkState
    tableau: str = ""
    transitions: str = ""
    files: str = ""


@dataclass(frozen=True, slots=True)
class ProgramStopped:
    """The controller was asked to end and did, in good order."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Nothing but time."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class LinkLost:
    """A line failed; `trouble` is one escaped line."""

    at_ms: int
    link: Link
    trouble: str


@dataclass(frozen=True, slots=True)
class LinkRestored:
    """A line works again."""

    at_ms: int
    link: Link


@dataclass(frozen=True, slots=True)
class DiskFailed:
    """An input could not be written; recorded once writing works again."""

    at_ms: int
    trouble: str


# What the shoe says. Each is a confirmed report unless its line says otherwise.


@dataclass(frozen=True, slots=True)
class CardRead:
    """A card left the shoe in play. `card` is None when the shoe could not tell it."""

    at_ms: int
    target: Target
    index: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class CardOutsidePlay:
    """A card left the shoe while it was locked, in error or being set."""

    at_ms: int
    mode: str
    card: Card | None


@dataclass(frozen=True, slots=True)
class CardOverdrawn:
    """A card too many came out; it is out, but not of this coup."""

    at_ms: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class ShoePowered:
    """The shoe's start of communication."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class CutCardOut:
    """The cut card came out."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class ShoeResult:
    """The shoe's own result: outcome player, banker, tie or forced-end; pairs none, player, banker or both."""

    at_ms: int
    outcome: str
    pairs: str


@dataclass(frozen=True, slots=True)
class ShoeFault:
    """The shoe reports an error."""

    at_ms: int
    code: int


@dataclass(frozen=True, slots=True)
class ShoeFaultCleared:
    """The shoe's error is over."""

    at_ms: int
    code: int


@dataclass(frozen=True, slots=True)
class ShoeNoted:
    """A report that changes nothing: stand by, a turned key, a changed setting."""

    at_ms: int
    what: str


@dataclass(frozen=True, slots=True)
class ReportMissed:
    """The count of reports jumped (not itself a report)."""

    at_ms: int
    expected: int
    got: int


@dataclass(frozen=True, slots=True)
class ReportUnconfirmed:
    """One good copy, no second in time (not itself a report)."""

    at_ms: int
    about: str


@dataclass(frozen=True, slots=True)
class LineUnreadable:
    """Damaged frames and no good one (not itself a report)."""

    at_ms: int
    damaged: int


@dataclass(frozen=True, slots=True)
class FramesDamaged:
    """How many frames were damaged since last said (not itself a report)."""

    at_ms: int
    damaged: int


# What people order.


@dataclass(frozen=True, slots=True)
class OpenBets:
    """Bets open again while no card is out."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class CloseBets:
    """No more bets."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class PlaceBet:
    """A stake, minor units, of a seat on a wager; stakes on one spot add up."""

    at_ms: int
    seat: int
    wager: str
    stake: int


@dataclass(frozen=True, slots=True)
class WithdrawBets:
    """A seat takes back its stakes; from one wager, or all when `wager` is empty."""

    at_ms: int
    seat: int
    wager: str


@dataclass(frozen=True, slots=True)
class RevealCards:
    """The dealer shows the public what lies on the table (reveal: dealer)."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Confirm:
    """The settlement is done; bets of the next coup open."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class StartShoe:
    """A new shoe is in place."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class EndShoe:
    """The house ends this shoe."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Resume:
    """A hold is over."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class VoidCoup:
    """The coup does not count; stakes go back."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class EnterCard:
    """A supervisor declares a card that is due and could not be read, or was lost."""

    at_ms: int
    place: Place
    card: Card
    reason: str


@dataclass(frozen=True, slots=True)
class CollectCommission:
    """A seat pays the commission it owes."""

    at_ms: int
    seat: int


@dataclass(frozen=True, slots=True)
class AcceptChange:
    """Somebody answers for it that the program or the configuration is another one than before the last stop."""

    at_ms: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class RecordBroken:
    """The record does not bear the state (never written: the record is not to be trusted)."""

    at_ms: int
    text: str


ShoeReport = (
    CardRead
    | CardOutsidePlay
    | CardOverdrawn
    | ShoePowered
    | CutCardOut
    | ShoeResult
    | ShoeFault
    | ShoeFaultCleared
    | ShoeNoted
)
LineTrouble = ReportMissed | ReportUnconfirmed | LineUnreadable | FramesDamaged
Order = (
    OpenBets
    | CloseBets
    | PlaceBet
    | WithdrawBets
    | RevealCards
    | Confirm
    | StartShoe
    | EndShoe
    | Resume
    | VoidCoup
    | EnterCard
    | CollectCommission
    | AcceptChange
)
Surrounding = ProgramStarted | ProgramStopped | Tick | LinkLost | LinkRestored | DiskFailed | RecordBroken
Input = ShoeReport | LineTrouble | Order | Surrounding
