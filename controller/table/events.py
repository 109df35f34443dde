"""What did happen at a table, in the past tense. Frozen values; amounts in whole minor units."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from controller.game.cards import Card
from controller.game.coup import Coup, Natural, Place
from controller.game.settlement import Settlement
from controller.table.inputs import Link


class Refusal(Enum):
    """Why an order was refused; the table is as it was."""

    NOT_NOW = "not-now"
    NOT_YET = "not-yet"
    VOID_ONLY = "void-only"
    HELD = "held"
    NOT_HELD = "not-held"
    TILT = "tilt"
    BETS_CLOSED = "bets-closed"
    CARD_OUT = "card-out"
    NO_WAGERS = "no-wagers"
    UNKNOWN_SEAT = "unknown-seat"
    UNKNOWN_WAGER = "unknown-wager"
    BAD_STAKE = "bad-stake"
    BELOW_MINIMUM = "below-minimum"
    ABOVE_MAXIMUM = "above-maximum"
    NOT_MULTIPLE = "not-multiple"
    DIFFERENTIAL = "differential"
    BOTH_SIDES = "both-sides"
    NOT_PAYABLE = "not-payable"
    NO_BET = "no-bet"
    NOT_DUE = "not-due"
    FOREIGN_CARD = "foreign-card"
    NO_REASON = "no-reason"
    LEDGER_OPEN = "ledger-open"
    NOTHING_OWED = "nothing-owed"
    CHANGE_PENDING = "change-pending"
    NO_CHANGE = "no-change"


class HoldReason(Enum):
    """Why a table is held. Every hold needs an order to end."""

    PRE_CLOSE_CARD = "pre-close-card"
    EXCESS_CARD = "excess-card"
    WRONG_TARGET = "wrong-target"
    CARD_CONFLICT = "card-conflict"
    UNREADABLE = "unreadable"
    FOREIGN_CARD = "foreign-card"
    SHOE_EMPTY = "shoe-empty"
    BURN_DIFFERS = "burn-differs"
    REPORT_LOST = "report-lost"
    REPORT_UNCONFIRMED = "report-unconfirmed"
    LINE_UNREADABLE = "line-unreadable"
    SHOE_ERROR = "shoe-error"
    CARD_OUTSIDE_PLAY = "card-outside-play"
    SHOE_LINK_LOST = "shoe-link-lost"
    SHOE_RESTARTED = "shoe-restarted"
    SHOE_UNKNOWN = "shoe-unknown"
    SHOE_RESULT_DIFFERS = "shoe-result-differs"
    DISK = "disk"
    PROGRAM_CHANGED = "program-changed"


class ClosedBy(Enum):
    """What closed the bets."""

    DEALER = "dealer"
    TIMER = "timer"
    FIRST_CARD = "first-card"
    SUPERVISOR = "supervisor"


@dataclass(frozen=True, slots=True)
class ControllerStarted:
    """The program took the table up; `rules` is the identity of the rules in force, `rules_next` of those that wait."""

    version: str
    rules: str
    rules_next: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """What is not as it was accepted: the version, a part of the program, or the configuration; both identities."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ProgramChanged:
    """The program or its configuration is not the one that was accepted: no bets open before somebody accepts it."""

    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class ChangeAccepted:
    """Somebody accepted what had changed, by name and with a reason."""

    name: str
    reason: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class ControllerStopped:
    """The program ended in good order."""


@dataclass(frozen=True, slots=True)
class LinkWentDown:
    """A line failed."""

    link: Link
    trouble: str


@dataclass(frozen=True, slots=True)
class LinkCameUp:
    """A line works again."""

    link: Link


@dataclass(frozen=True, slots=True)
class ShoeBegun:
    """A shoe is in play; `burn` cards must be burned (None: its first card tells)."""

    shoe: int
    decks: int
    rules: str
    burn: int | None


@dataclass(frozen=True, slots=True)
class FirstCardShown:
    """The face-up first card; `burn` cards must follow it."""

    card: Card
    burn: int


@dataclass(frozen=True, slots=True)
class CardBurned:
    """The `number`-th burn card; None when the shoe did not tell it."""

    number: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class BurnCountTold:
    """The shoe told its own count of burn cards; `ours` None while ours is not known."""

    told: int
    ours: int | None


@dataclass(frozen=True, slots=True)
class BurnCompleted:
    """All burn cards are out."""

    cards: int


@dataclass(frozen=True, slots=True)
class BetsOpened:
    """Bets are open for this coup."""

    shoe: int
    coup: int


@dataclass(frozen=True, slots=True)
class BetsReopened:
    """Bets were closed and are open again; no card was out."""

    coup: int


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """A stake was added; `total` is the seat's total on that wager."""

    seat: int
    wager: str
    stake: int
    total: int


@dataclass(frozen=True, slots=True)
class BetsWithdrawn:
    """A seat took back `amount` from a wager."""

    seat: int
    wager: str
    amount: int


@dataclass(frozen=True, slots=True)
class BetsClosed:
    """No more bets; `staked` is the sum of all stakes."""

    coup: int
    by: ClosedBy
    staked: int


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A card of the coup; `declared` when a person entered it. Totals are those after it."""

    shoe: int
    coup: int
    place: Place
    card: Card
    declared: bool
    reason: str
    player_total: int | None
    banker_total: int | None


@dataclass(frozen=True, slots=True)
class CardsRevealed:
    """The dealer showed the public the cards on the table."""

    player: int
    banker: int


@dataclass(frozen=True, slots=True)
class NaturalsChecked:
    """Four cards are out: is there an 8 or 9 with two cards?"""

    natural: Natural
    player_two: int
    banker_two: int


@dataclass(frozen=True, slots=True)
class InitialDealSettled:
    """Four cards are out: the bets on wagers that settle at the initial deal are worked out and may be paid now.

    Not said when there is no such bet. The lines stand once more in the coup's settlement, with all others: what was
    paid now is not paid again then. `settlement` sums these lines alone.
    """

    shoe: int
    coup: int
    hands: Coup
    settlement: Settlement


@dataclass(frozen=True, slots=True)
class InitialDealUndone:
    """The coup is void after its initial deal was settled: that settlement is undone both ways.

    Each seat hands back what it `won` by these lines; every stake, also one that was lost, goes back with the void.
    """

    shoe: int
    coup: int
    settlement: Settlement


@dataclass(frozen=True, slots=True)
class PlayerDrew:
    """Player draws a third card by the rule; the card is due."""

    player_two: int


@dataclass(frozen=True, slots=True)
class PlayerStood:
    """Player stands."""

    player_two: int


@dataclass(frozen=True, slots=True)
class BankerDrew:
    """Banker draws a third card by the rule; the card is due."""

    banker_two: int
    player_third: int | None


@dataclass(frozen=True, slots=True)
class BankerStood:
    """Banker stands."""

    banker_two: int
    player_third: int | None


@dataclass(frozen=True, slots=True)
class CoupSettled:
    """The coup is complete and every wager worked out; nothing is final before it is confirmed."""

    shoe: int
    coup: int
    hands: Coup
    wins: tuple[tuple[str, Fraction], ...]
    pushes: tuple[str, ...]
    settlement: Settlement


@dataclass(frozen=True, slots=True)
class CoupConfirmed:
    """The settlement was done."""

    shoe: int
    coup: int


@dataclass(frozen=True, slots=True)
class CoupVoided:
    """The coup does not count; `returned` is the sum of the stakes given back. It keeps its number."""

    shoe: int
    coup: int
    hands: Coup
    returned: int


@dataclass(frozen=True, slots=True)
class CardRepeated:
    """The shoe named a filled place again with the same card: ignored."""

    place: Place
    card: Card


@dataclass(frozen=True, slots=True)
class CardSetAside:
    """A card is out of the shoe and of no coup."""

    card: Card | None
    why: str


@dataclass(frozen=True, slots=True)
class CardKept:
    """An overdrawn card, kept for the next coup."""

    card: Card | None


@dataclass(frozen=True, slots=True)
class CutCardSeen:
    """The cut card is out; `coups_left` coups follow the one in play (or, between coups, are still to come)."""

    coups_left: int


@dataclass(frozen=True, slots=True)
class ShoeEndOrdered:
    """The shoe ends once this coup is confirmed."""


@dataclass(frozen=True, slots=True)
class ShoeEnded:
    """The shoe is over after so many coups; `returned` stakes went back."""

    shoe: int
    coups: int
    returned: int


@dataclass(frozen=True, slots=True)
class ShoeReportNoted:
    """A report of the shoe that changes nothing at the table."""

    what: str


@dataclass(frozen=True, slots=True)
class ShoeFaultCame:
    """The shoe reports an error, 1 to 63."""

    code: int


@dataclass(frozen=True, slots=True)
class ShoeFaultOver:
    """The shoe's error is over."""

    code: int


@dataclass(frozen=True, slots=True)
class ShoeResultAgreed:
    """The shoe's own result is ours."""

    shoe: int
    coup: int


@dataclass(frozen=True, slots=True)
class FramesDamagedCounted:
    """Damaged frames since the last count."""

    damaged: int


@dataclass(frozen=True, slots=True)
class LineTroubleNoted:
    """Trouble of the shoe's line that came while the table cannot be held for it."""

    what: str


@dataclass(frozen=True, slots=True)
class ShoeQuiet:
    """A card is due and nothing was heard for so many seconds."""

    seconds: int


@dataclass(frozen=True, slots=True)
class ReportWaits:
    """A report came while the table is held; it waits, `waiting` in all."""

    what: str
    waiting: int


@dataclass(frozen=True, slots=True)
class TableHeld:
    """The table is held: why, in one line, and what to do."""

    reason: HoldReason
    text: str


@dataclass(frozen=True, slots=True)
class TableResumed:
    """The hold is over."""

    reason: HoldReason


@dataclass(frozen=True, slots=True)
class CommissionOwed:
    """Commission of this coup went onto a seat's ledger; `total` is what the seat owes."""

    seat: int
    amount: int
    total: int


@dataclass(frozen=True, slots=True)
class CommissionCollected:
    """A seat paid what it owed."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class InputRefused:
    """An order was refused: which, why (the id) and in words."""

    order: str
    reason: Refusal
    text: str


@dataclass(frozen=True, slots=True)
class TableTilted:
    """The record does not bear the state: nothing goes on before a repair and a restart."""

    text: str


Event = (
    ControllerStarted
    | ProgramChanged
    | ChangeAccepted
    | ControllerStopped
    | LinkWentDown
    | LinkCameUp
    | ShoeBegun
    | FirstCardShown
    | CardBurned
    | BurnCountTold
    | BurnCompleted
    | BetsOpened
    | BetsReopened
    | BetPlaced
    | BetsWithdrawn
    | BetsClosed
    | CardDealt
    | CardsRevealed
    | NaturalsChecked
    | InitialDealSettled
    | InitialDealUndone
    | PlayerDrew
    | PlayerStood
    | BankerDrew
    | BankerStood
    | CoupSettled
    | CoupConfirmed
    | CoupVoided
    | CardRepeated
    | CardSetAside
    | CardKept
    | CutCardSeen
    | ShoeEndOrdered
    | ShoeEnded
    | ShoeReportNoted
    | ShoeFaultCame
    | ShoeFaultOver
    | ShoeResultAgreed
    | FramesDamagedCounted
    | LineTroubleNoted
    | ShoeQuiet
    | ReportWaits
    | TableHeld
    | TableResumed
    | CommissionOwed
    | CommissionCollected
    | InputRefused
    | TableTilted
)
