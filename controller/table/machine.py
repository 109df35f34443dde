"""The whole conduct of a table on one screen: phases, and the rows that lead from one to the next.

The rows are data. `transitions` interprets them: no automatic transitions, no queue, no callbacks. Guards are plain
questions to the state, named as the regulation names them. The rows are checked when this module loads.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from transitions import Machine

from controller.game.coup import Natural

if TYPE_CHECKING:
    from controller.table.state import TableState


Guard = Callable[["TableState"], bool]


class Phase(Enum):
    """Where a table is in its work."""

    NO_SHOE = "no-shoe"
    BURNING = "burning"
    BETTING = "betting"
    BETS_CLOSED = "bets-closed"
    DEALING = "dealing"
    NATURALS = "naturals"
    PLAYER_RULE = "player-rule"
    BANKER_RULE = "banker-rule"
    SETTLING = "settling"
    SHOE_ENDED = "shoe-ended"
    HELD = "held"
    TILT = "tilt"


NO_SHOE, BURNING, BETTING, BETS_CLOSED, DEALING, NATURALS = tuple(Phase)[:6]
PLAYER_RULE, BANKER_RULE, SETTLING, SHOE_ENDED, HELD, TILT = tuple(Phase)[6:]

IN_COUP = (DEALING, NATURALS, PLAYER_RULE, BANKER_RULE)
"""Cards are out and the result is not yet known."""
IN_PLAY = frozenset(Phase) - {NO_SHOE, SHOE_ENDED, HELD, TILT}
"""A shoe is in play: trouble on its line holds the table."""
RESTING = (NO_SHOE, BURNING, BETTING, BETS_CLOSED, DEALING, PLAYER_RULE, BANKER_RULE, SETTLING, SHOE_ENDED)
"""Where a table can stand between two inputs, and so be held and resumed."""


@dataclass(frozen=True, slots=True)
class Row:
    """On `trigger` from `source` to `dest`, when every guard in `when` holds and none in `unless`."""

    trigger: str
    source: Phase
    dest: Phase
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


def _held_at(phase: Phase, table: "TableState") -> bool:
    return table.hold is not None and table.hold.at is phase


GUARDS: dict[str, Guard] = {
    "burn_asked": lambda table: table.burn_due != 0,
    "commission_owed": lambda table: bool(table.owed),
    "first_card_closes": lambda table: table.first_card_closes,
    "four_cards_out": lambda table: table.hands.has_four,
    "natural": lambda table: table.hands.natural is not Natural.NONE,
    "player_draws": lambda table: table.hands.player_draws,
    "banker_draws": lambda table: table.hands.banker_draws,
    "last_coup": lambda table: table.is_last_coup,
    **{f"held_at_{phase.name.lower()}": partial(_held_at, phase) for phase in RESTING},
}

_VOIDABLE = (BETS_CLOSED, DEALING, PLAYER_RULE, BANKER_RULE, SETTLING)
_NO_COUP = ("held_at_no_shoe", "held_at_burning", "held_at_shoe_ended")

TRANSITIONS = (
    Row("start_shoe", NO_SHOE, BURNING, when=("burn_asked",)),
    Row("start_shoe", NO_SHOE, BETTING, unless=("burn_asked",)),
    Row("start_shoe", SHOE_ENDED, BURNING, when=("burn_asked",), unless=("commission_owed",)),
    Row("start_shoe", SHOE_ENDED, BETTING, unless=("burn_asked", "commission_owed")),
    Row("burn_done", BURNING, BETTING),
    Row("close_bets", BETTING, BETS_CLOSED),
    Row("open_bets", BETS_CLOSED, BETTING),
    Row("card", BETTING, DEALING, when=("first_card_closes",)),
    Row("card", BETS_CLOSED, DEALING),
    Row("card", DEALING, DEALING, unless=("four_cards_out",)),
    Row("card", DEALING, NATURALS, when=("four_cards_out",)),
    Row("decide", NATURALS, SETTLING, when=("natural",)),
    Row("decide", NATURALS, PLAYER_RULE, unless=("natural",)),
    Row("decide", PLAYER_RULE, BANKER_RULE, unless=("player_draws",)),
    Row("card", PLAYER_RULE, BANKER_RULE, when=("player_draws",)),
    Row("decide", BANKER_RULE, SETTLING, unless=("banker_draws",)),
    Row("card", BANKER_RULE, SETTLING, when=("banker_draws",)),
    Row("confirm", SETTLING, BETTING, unless=("last_coup",)),
    Row("confirm", SETTLING, SHOE_ENDED, when=("last_coup",)),
    *(Row("end_shoe", phase, SHOE_ENDED) for phase in (BETTING, BETS_CLOSED)),
    *(Row("void", phase, BETTING, unless=("last_coup",)) for phase in _VOIDABLE),
    *(Row("void", phase, SHOE_ENDED, when=("last_coup",)) for phase in _VOIDABLE),
    Row("void", HELD, BETTING, when=("held_at_burning",)),
    Row("void", HELD, BETTING, unless=("last_coup", *_NO_COUP)),
    Row("void", HELD, SHOE_ENDED, when=("last_coup",), unless=_NO_COUP),
    *(Row("hold", phase, HELD) for phase in RESTING),
    *(Row("resume", HELD, phase, when=(f"held_at_{phase.name.lower()}",)) for phase in RESTING),
    *(Row("tilt", phase, TILT) for phase in (*RESTING, HELD)),
)

TRIGGERS = tuple(dict.fromkeys(row.trigger for row in TRANSITIONS))


def exclusive(one: Row, other: Row) -> bool:
    """Whether two rows of one trigger and source can never both be true: a guard of one is denied by the other."""
    denied = set(one.when) & set(other.unless) or set(other.when) & set(one.unless)
    held_at = [{guard for guard in row.when if guard.startswith("held_at_")} for row in (one, other)]
    return bool(denied) or (all(held_at) and held_at[0] != held_at[1])


def mistakes(rows: Iterable[Row]) -> list[str]:
    """What is wrong with a table of rows: unknown guards, two rows true at once, phases never reached or left."""
    rows = tuple(rows)
    wrong = [f"{row}: no guard {name}" for row in rows for name in row.when + row.unless if name not in GUARDS]
    for number, row in enumerate(rows):
        rivals = [other for other in rows[number + 1 :] if (other.trigger, other.source) == (row.trigger, row.source)]
        wrong += [f"{row} and {other}: both can be true" for other in rivals if not exclusive(row, other)]
    wrong += [f"{phase.value}: never left" for phase in Phase if phase is not TILT and phase not in _left(rows)]
    return wrong + [f"{phase.value}: never reached" for phase in Phase if phase not in _reached(rows)]


def _left(rows: tuple[Row, ...]) -> set[Phase]:
    """Phases that work leaves: a hold or a tilt that may strike anywhere is no way on."""
    return {row.source for row in rows if row.dest is not row.source and row.trigger not in ("hold", "tilt")}


def _reached(rows: tuple[Row, ...]) -> set[Phase]:
    """Phases that work comes to: a held table only goes back to where it was, that is no way there."""
    reached = {NO_SHOE}
    while more := {row.dest for row in rows if row.source in reached - {HELD}} - reached:
        reached |= more
    return reached


def identity() -> str:
    """SHA-256 (hex) of the rows, so that a record can say by which machine it was made."""
    return hashlib.sha256("\n".join(map(repr, TRANSITIONS)).encode()).hexdigest()


class _Marker:
    """What `transitions` moves: a finger on the phase, by its word (words are quicker there than an Enum)."""

    state: str


def _machine(marker: _Marker) -> Machine:
    words = [phase.value for phase in Phase]
    machine = Machine(marker, states=words, initial=NO_SHOE.value, auto_transitions=False, queued=False)
    for row in TRANSITIONS:
        conditions: list[str | Callable[..., bool | None]] = [GUARDS[name] for name in row.when]
        unless: list[str | Callable[..., bool | None]] = [GUARDS[name] for name in row.unless]
        stays = row.dest is row.source  # to `transitions` such a row has no destination
        dest = None if stays else row.dest.value
        machine.add_transition(row.trigger, row.source.value, dest, conditions=conditions, unless=unless)
    return machine


assert not mistakes(TRANSITIONS), mistakes(TRANSITIONS)
_MARKER = _Marker()
_MACHINE = _machine(_MARKER)
_PULL: dict[str, Callable[["TableState"], bool]] = {trigger: getattr(_MARKER, trigger) for trigger in TRIGGERS}
_LAWFUL = frozenset((row.trigger, row.source.value) for row in TRANSITIONS)
_PHASES = {phase.value: phase for phase in Phase}


def lawful(phase: Phase, trigger: str) -> bool:
    """Whether any row leads on from this phase by this trigger, guards left aside."""
    return (trigger, phase.value) in _LAWFUL


def next_phase(table: "TableState", trigger: str) -> Phase | None:
    """Where the trigger leads from the table's phase; None when no row is true."""
    word = table.phase.value
    if (trigger, word) not in _LAWFUL:
        return None
    _MARKER.state = word
    return _PHASES[_MARKER.state] if _PULL[trigger](table) else None
