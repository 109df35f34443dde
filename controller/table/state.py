"""All that a table knows between two inputs, as one frozen value."""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from controller.game.cards import Card
from controller.game.coup import Coup, Hand, Place
from controller.game.settlement import Bet, Settlement
from controller.game.shoe import Inventory
from controller.table.events import Change, HoldReason
from controller.table.inputs import Input, LinkState
from controller.table.machine import BETS_CLOSED, BETTING, BURNING, HELD, IN_COUP, NO_SHOE, Phase
from controller.table.rules import CloseBy, HouseRules


@dataclass(frozen=True, slots=True)
class Hold:
    """Why the table is held, where it was, and what waits.

    `cause` is the input that brought the hold, None when a look at the links or at the burn did. `code` is the shoe's
    error. `entered` counts the cards that people declared since.
    """

    reason: HoldReason
    at: Phase
    text: str
    cause: Input | None
    code: int | None = None
    entered: int = 0
    waiting: tuple[Input, ...] = ()
    overflow: bool = False


@dataclass(frozen=True, slots=True)
class SettledCoup:
    """A complete coup with what every wager on it pays."""

    shoe: int
    coup: int
    hands: Coup
    wins: tuple[tuple[str, Fraction], ...]
    pushes: tuple[str, ...]
    settlement: Settlement


NO_CARDS = Coup()

AWAITING = frozenset({BURNING, BETS_CLOSED, *IN_COUP})
"""The phases in which the shoe is to give a card."""


class TableState(NamedTuple):
    """One table between two inputs (a named tuple, since a step replaces its fields a few times).

    `coup` is the number of the coup in play or, while betting, to come. `bets` holds one entry a seat and wager.
    `result` is that of the coup in play once it is settled, `last` that of the last confirmed one, `comparable` the one
    that the shoe's own result would be about. `last_coup` is the number of the coup after which the shoe ends. `kept`
    is an overdrawn card that the shoe keeps for the next coup. `shoe_began_anew`: the shoe restarted, or ended the coup
    by force, so its places count from Player's first again. `faults`, `line_reads` and the links are as last heard,
    also while the report of it waits. `running` names what runs and by which files, `accepted` what people last
    answered for (with the very first start, that itself): pairs of a name and its identity.
    """

    rules: HouseRules
    next_rules: HouseRules | None = None
    phase: Phase = NO_SHOE
    hold: Hold | None = None
    shoe: int = 0
    coup: int = 0
    inventory: Inventory | None = None
    burn_due: int | None = None
    burned: tuple[Card | None, ...] = ()
    first_card: Card | None = None
    first_card_out: bool = False
    burn_told: int | None = None
    hands: Coup = NO_CARDS
    declared: tuple[Place, ...] = ()
    revealed: tuple[int, int] = (0, 0)
    bets: tuple[Bet, ...] = ()
    result: SettledCoup | None = None
    last: SettledCoup | None = None
    comparable: SettledCoup | None = None
    road: tuple[str, ...] = ()
    owed: tuple[tuple[int, int], ...] = ()
    cut_card_out: bool = False
    last_coup: int | None = None
    kept: Card | None = None
    shoe_began_anew: bool = False
    reports_missed: int = 0
    faults: frozenset[int] = frozenset()
    line_reads: bool = True
    shoe_link: LinkState = LinkState.UP
    display_link: LinkState = LinkState.NONE
    deadline_ms: int | None = None
    heard_ms: int = 0
    quiet: bool = False
    running: tuple[tuple[str, str], ...] = ()
    accepted: tuple[tuple[str, str], ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """What runs and was not accepted yet; no bets open while there is any."""
        if self.running == self.accepted:
            return ()
        before = dict(self.accepted)
        return tuple(Change(name, before[name], now) for name, now in self.running if before[name] != now)

    @property
    def conducted(self) -> Phase:
        """The phase of the coup itself, also while the table is held."""
        return self.hold.at if self.phase is HELD and self.hold is not None else self.phase

    @property
    def first_card_closes(self) -> bool:
        return self.rules.close_by is CloseBy.FIRST_CARD

    @property
    def is_last_coup(self) -> bool:
        """Whether the shoe ends with the coup in play."""
        return self.last_coup is not None and self.coup >= self.last_coup

    @property
    def due(self) -> Place | None:
        """The place of the card that is due now; None when none is."""
        phase = self.conducted
        closes = phase is BETTING and self.first_card_closes
        if phase is Phase.BETS_CLOSED or closes or phase in IN_COUP:
            return self.hands.next_place
        return None

    @property
    def card_awaited(self) -> bool:
        """Whether the shoe is expected to give a card now (a card that may also not come does not count)."""
        return self.phase in AWAITING

    def card_at(self, place: Place) -> Card | None:
        """The card that fills a place of this coup."""
        cards = self.hands.player if place.hand is Hand.PLAYER else self.hands.banker
        return cards[place.index - 1] if 1 <= place.index <= len(cards) else None

    def next_tick_ms(self) -> int | None:
        """When the table next wants to be told the time; None when never."""
        quiet = self.heard_ms + self.rules.quiet_s * 1000 if self.card_awaited and not self.quiet else None
        return min((at for at in (self.deadline_ms, quiet) if at is not None), default=None)


def new_table(rules: HouseRules) -> TableState:
    """A table that has seen nothing yet."""
    return TableState(rules)
