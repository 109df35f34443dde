"""Deals so many coups, settles every wager at one unit, and holds what was seen against the exact figures."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from controller.game.wagers import Wager
from controller.lab.simulate_count import Game, Tally, no_coups, tally
from controller.lab.simulate_workers import tallied

SIGMAS = 5
"""Further off than this a wager is wrong: by chance it happens once in 1.7 million wagers."""
_DIGITS = 60
_DENSER = Fraction(51, 50)
"""A point of the running edge is kept when so many times the coups of the last are dealt: some hundreds at most."""


class Exact(NamedTuple):
    """A wager by enumeration: the house's part of each unit staked, and the variance of it in one coup."""

    edge: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class Seen:
    """A wager over `coups` coups beside the exact figures; edges are the house's part of each unit staked."""

    wager: str
    coups: int
    edge: Fraction
    exact: Exact

    @property
    def error(self) -> Fraction:
        """One standard deviation of the edge seen, from the exact variance, to 60 digits after the point."""
        return _root(self.exact.variance / self.coups)

    @property
    def low(self) -> Fraction:
        """The edge seen less five standard deviations."""
        return self.edge - SIGMAS * self.error

    @property
    def high(self) -> Fraction:
        """The edge seen and five standard deviations."""
        return self.edge + SIGMAS * self.error

    @property
    def sigma(self) -> Decimal:
        """How many standard deviations the edge seen lies above the exact one, to 20 digits after the point."""
        off = self.edge - self.exact.edge
        if off and not self.exact.variance:
            return Decimal("inf") if off > 0 else Decimal("-inf")
        return Decimal(f"{round(off / self.error * 10**20) if off else 0}e-20")

    @property
    def agrees(self) -> bool:
        """Whether the two are at most five standard deviations apart: asked exactly."""
        return (self.edge - self.exact.edge) ** 2 * self.coups <= SIGMAS**2 * self.exact.variance


class Point(NamedTuple):
    """The running edge of every wager after so many coups."""

    coups: int
    edges: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Simulated:
    """A whole run; `running` has its points from the first shoe to the end."""

    game: Game
    coups: int
    seen: tuple[Seen, ...]
    running: tuple[Point, ...]

    @property
    def agrees(self) -> bool:
        """Whether every wager does."""
        return all(seen.agrees for seen in self.seen)


def _root(square: Fraction) -> Fraction:
    """Whole numbers alone: a decimal context would end the digits of large figures in zeros."""
    return Fraction(isqrt(square.numerator * 10 ** (2 * _DIGITS) // square.denominator), 10**_DIGITS)


def house_edge(wager: Wager, outcomes: tuple[int, ...]) -> Fraction:
    """What the house keeps of each unit staked: exact rates, no rounding; the stake of a push goes back."""
    *won, _pushed, lost = outcomes
    paid = sum((count * tier.pays for count, tier in zip(won, wager.tiers, strict=True)), Fraction(0))
    return (lost - paid * (1 - wager.commission)) / Fraction(sum(outcomes))


def simulate(
    game: Game, exact: dict[str, Exact], coups: int, jobs: int = 1, told: Callable[[int], None] = lambda dealt: None
) -> Simulated:
    """Deals `coups` coups; the same for the same game, however many processes share the work.

    `exact` has every wager by its id; `told` hears how many coups are dealt, now and then.
    """
    assert coups >= 1, f"at least one coup, not {coups}"
    total, running = no_coups(game.wagers), [Point(0, ())]
    with closing(tallied(game, coups, jobs)) as work:
        for shoes, counted in work:
            if total.coups + counted.coups > coups:
                counted = tally(game, shoes, coups - total.coups)
            total = total.plus(counted)
            told(total.coups)
            if total.coups >= running[-1].coups * _DENSER or total.coups == coups:
                running.append(Point(total.coups, _edges(game, total)))
            if total.coups == coups:
                break
    edges = zip(game.wagers, _edges(game, total), strict=True)
    seen = tuple(Seen(wager.id, coups, edge, exact[wager.id]) for wager, edge in edges)
    return Simulated(game, coups, seen, tuple(running[1:]))


def _edges(game: Game, total: Tally) -> tuple[Fraction, ...]:
    return tuple(house_edge(wager, outcomes) for wager, outcomes in zip(game.wagers, total.outcomes, strict=True))
