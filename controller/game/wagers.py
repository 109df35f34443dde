"""A wager: conditions on a coup, and so a win (by which tier), a push or a loss. Money is settlement's matter."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from controller.game.coup import Coup
from controller.game.facts import FACTS as FACTS
from controller.game.facts import INITIAL_FACTS as INITIAL_FACTS
from controller.game.facts import ORDER_FACTS, RANKS
from controller.game.facts import Facts as Facts
from controller.game.facts import Value as Value
from controller.game.kinds import Kinds, first_of
from controller.game.reachable import example_of, reachable_kinds
from controller.game.starts import Question


@dataclass(frozen=True, slots=True)
class AllOf:
    """Facts that must all hold: each name of `FACTS` with the values it may have."""

    facts: tuple[tuple[str, frozenset[Value]], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds when any of its maps of facts holds; with none it never does."""

    any_of: tuple[AllOf, ...] = ()

    @classmethod
    def of(cls, *maps: Mapping[str, Value | Iterable[Value]]) -> "Condition":
        """Written out: `Condition.of({"winner": "banker", "banker_total": range(7)}, {"winner": "tie"})`."""
        return cls(tuple(AllOf(tuple((name, _values(value)) for name, value in each.items())) for each in maps))

    def holds(self, coup: Coup) -> bool:
        """Whether a complete coup (for initial facts: one with four cards) meets it."""
        return self.holds_for(Facts(coup))

    def holds_for(self, facts: Facts) -> bool:
        """The same from a coup's facts; plain loops, since it is asked for every wager of every coup."""
        for each in self.any_of:
            for name, allowed in each.facts:
                if facts[name] not in allowed:
                    break
            else:
                return True
        return False

    def names(self) -> frozenset[str]:
        """The facts it looks at."""
        return frozenset(name for each in self.any_of for name, _ in each.facts)


def _values(value: Value | Iterable[Value]) -> frozenset[Value]:
    return frozenset((value,)) if isinstance(value, (int, str)) else frozenset(value)


NEVER = Condition()


@dataclass(frozen=True, slots=True)
class Tier:
    """One line of a wager's odds: when it wins and what it pays, to one."""

    wins: Condition
    pays: Fraction


class RoundOf(Enum):
    """What is rounded: the win after commission, or the commission."""

    PAYOUT = "payout"
    COMMISSION = "commission"


class RoundMode(Enum):
    """Nearest sends halves up; exact refuses what is not a multiple of the unit."""

    EXACT = "exact"
    DOWN = "down"
    UP = "up"
    NEAREST = "nearest"


@dataclass(frozen=True, slots=True)
class Rounding:
    """How one line is rounded; `to` is the unit, in minor units."""

    of: RoundOf = RoundOf.PAYOUT
    mode: RoundMode = RoundMode.EXACT
    to: int = 1


class Settles(Enum):
    """Before any third card, or when the coup is complete."""

    INITIAL_DEAL = "initial-deal"
    COUP = "coup"


@dataclass(frozen=True, slots=True)
class Wager:
    """The first tier that holds pays; else `pushes` gives the stake back; else the stake is lost.

    `commission` is a part of what is won, Fraction(1, 20) for 5 %. `rounding` None takes the paytable's.
    """

    id: str
    tiers: tuple[Tier, ...]
    pushes: Condition = NEVER
    commission: Fraction = Fraction(0)
    rounding: Rounding | None = None
    settles: Settles = Settles.COUP

    def names(self) -> frozenset[str]:
        """The facts it looks at."""
        return self.pushes.names().union(*(tier.wins.names() for tier in self.tiers))

    def question(self) -> Question:
        """What it tells coups apart by."""
        conditions = [self.pushes, *(tier.wins for tier in self.tiers)]
        facts = {fact for condition in conditions for each in condition.any_of for fact in each.facts}
        asked = {allowed for name, allowed in facts if name in ORDER_FACTS}
        first: dict[frozenset[frozenset[Value]], Value] = {}
        ranks = [first.setdefault(frozenset(each for each in asked if rank in each), rank) for rank in RANKS]
        return Question(frozenset(name for name, _ in facts), tuple(ranks))


class Collect(Enum):
    """Commission is taken at each win, or kept on a ledger per seat until the seat leaves or the shoe ends."""

    EACH_WIN = "each-win"
    LEDGER = "ledger"


@dataclass(frozen=True, slots=True)
class Paytable:
    """The wagers of a layout, in its order, and how their money is rounded and commission collected."""

    name: str
    collect: Collect
    rounding: Rounding
    wagers: tuple[Wager, ...]
    by_id: Mapping[str, Wager] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {wager.id: wager for wager in self.wagers})


class Result(Enum):
    WIN = "win"
    PUSH = "push"
    LOSE = "lose"


class Resolution(NamedTuple):
    """What became of a wager; `tier` counts from 1 and is None unless it won."""

    result: Result
    tier: int | None = None


_PUSHED, _LOST = Resolution(Result.PUSH), Resolution(Result.LOSE)
_WON_FIRST = Resolution(Result.WIN, 1)


def resolve(wager: Wager, coup: Coup) -> Resolution:
    """What becomes of a wager on a complete coup (one that settles at the initial deal: with four cards)."""
    return resolve_by(wager, Facts(coup))


def resolve_by(wager: Wager, facts: Facts) -> Resolution:
    """The same from a coup's facts, which several wagers may share."""
    for number, tier in enumerate(wager.tiers, 1):
        if tier.wins.holds_for(facts):
            return _WON_FIRST if number == 1 else Resolution(Result.WIN, number)
    return _PUSHED if wager.pushes.holds_for(facts) else _LOST


# Of all kinds of coups at once


def meeting(condition: Condition, kinds: Kinds) -> int:
    """The kinds that meet a condition; every fact it asks for is among theirs."""
    found = 0
    for each in condition.any_of:
        some = kinds.every
        for name, allowed in each.facts:
            some &= kinds.having(name, allowed)
        found |= some
    return found


def resolve_kinds(wager: Wager, kinds: Kinds) -> tuple[list[int], int]:
    """The kinds for which each tier pays, and those that push; the others lose."""
    left, tiers = kinds.every, []
    for tier in wager.tiers:
        tiers.append(left & meeting(tier.wins, kinds))
        left ^= tiers[-1]
    return tiers, left & meeting(wager.pushes, kinds)


def overlap(wager: Wager) -> Coup | None:
    """An example of a coup that can be dealt and both wins and pushes; None when there is none."""
    winning = [each for tier in wager.tiers for each in tier.wins.any_of]
    pushing = wager.pushes.any_of
    if len(winning) * len(pushing) <= _FEW and all(_disjoint(win, push) for win in winning for push in pushing):
        return None
    question = wager.question()
    kinds, both = reachable_kinds(question), 0
    for tier in wager.tiers:
        both |= meeting(tier.wins, kinds)
    both &= meeting(wager.pushes, kinds)
    return example_of(question, first_of(both)) if both else None


_FEW = 1000


def _disjoint(one: AllOf, other: AllOf) -> bool:
    """Whether one fact alone keeps the two apart: quick, and enough for nearly every wager of a real layout."""
    theirs = dict(other.facts)
    return any(allowed.isdisjoint(theirs[name]) for name, allowed in one.facts if name in theirs)


def impossible(condition: Condition, within: Wager | None = None) -> bool:
    """Whether no coup that can be dealt meets the condition; the conditions of one wager share one look."""
    return not meeting(condition, reachable_kinds((within or Wager("", (), condition)).question()))


def idle_tiers(wager: Wager) -> tuple[int, ...]:
    """The tiers, from 1, that never pay: no coup meets them, or tiers before them take every coup that does."""
    paying, _ = resolve_kinds(wager, reachable_kinds(wager.question()))
    return tuple(number for number, some in enumerate(paying, 1) if not some)


def odds_text(odds: Fraction) -> str:
    """Odds to one, in lowest terms: "8:1", "19:20"."""
    return f"{odds.numerator}:{odds.denominator}"
