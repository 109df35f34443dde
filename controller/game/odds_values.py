"""Of all ordered deals of six cards, how many take each course: counted by value, exactly, whatever the shoe holds.

Six cards dealt without return are as likely in one order as in another. So the third cards are taken out first, and
the first four are counted in what is left: for each pair of values that the third cards can have, one count for each
pair of two-card totals, instead of one for each sequence of values.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import compress
from math import perm
from typing import NamedTuple

from controller.game import tableau
from controller.game.coup import Coup
from controller.game.facts import Value
from controller.game.reachable import ONE_OF_EACH_VALUE

_TENS = range(10)


class Course(NamedTuple):
    """Both two-card totals, and the values of the third cards, None for a hand that took none."""

    player_two: int
    banker_two: int
    player_third: int | None
    banker_third: int | None

    @property
    def thirds(self) -> tuple[int, ...]:
        """The values of the third cards, in the order dealt."""
        return tuple(third for third in self[2:] if third is not None)

    def example(self) -> Coup:
        """A coup that takes this course, of clubs."""
        worthless = ONE_OF_EACH_VALUE[0]
        coup = Coup((ONE_OF_EACH_VALUE[self.player_two], worthless), (ONE_OF_EACH_VALUE[self.banker_two], worthless))
        for third in self.thirds:
            coup = coup.dealt(ONE_OF_EACH_VALUE[third])
        return coup


Thirds = tuple[int | None, int | None]


@cache
def _totals_by_thirds() -> dict[Thirds, list[tuple[int, int]]]:
    """For the values of both third cards, the two-card totals on which just these third cards are drawn."""
    found: dict[Thirds, list[tuple[int, int]]] = {}
    for player in _TENS:
        for banker in _TENS:
            natural = player >= 8 or banker >= 8
            player_thirds = _TENS if not natural and tableau.player_draws(player) else (None,)
            for third in player_thirds:
                draws = not natural and tableau.banker_draws(banker, third)
                for other in _TENS if draws else (None,):
                    found.setdefault((third, other), []).append((player, banker))
    return found


@cache
def courses() -> tuple[Course, ...]:
    """Every course a coup can take, 3,394 in all, in the order of `course_ways`."""
    return tuple(
        Course(player, banker, *thirds) for thirds, totals in _totals_by_thirds().items() for player, banker in totals
    )


@cache
def course_numbers() -> dict[Course, int]:
    """Each course's place in `courses()`."""
    return {course: number for number, course in enumerate(courses())}


def course_ways(left: Sequence[int]) -> list[int]:
    """Ordered six-card deals that take each of `courses()`, from a shoe with `left[v]` cards of value v."""
    counts = list(left)
    cards = sum(counts)
    first_four: dict[frozenset[Thirds], dict[tuple[int, int], int]] = {}
    ways: list[int] = []
    for thirds, totals in _totals_by_thirds().items():
        drawn = [third for third in thirds if third is not None]
        times = 1
        for value in drawn:
            times *= counts[value]
            counts[value] -= 1
        if times > 0:
            # What is left is the same whichever hand had which of the two cards, and so are the counts.
            known = first_four.setdefault(frozenset((thirds, thirds[::-1])), {})
            _count_first_four(counts, totals, known)
            times *= perm(cards - 4 - len(drawn), 2 - len(drawn))
            ways += [times * known[both] for both in totals]
        else:
            ways += [0] * len(totals)
        for value in drawn:
            counts[value] += 1
    return ways


def _count_first_four(
    counts: Sequence[int], totals: Sequence[tuple[int, int]], known: dict[tuple[int, int], int]
) -> None:
    """Ordered deals of four cards that make these two-card totals, added to `known` where they are not there yet."""
    bankers: dict[int, list[int]] = {}
    for player, banker in totals:
        if (player, banker) not in known:
            bankers.setdefault(player, []).append(banker)
    pairs = [sum(counts[v] * counts[total - v] for v in _TENS) - _same(counts, total) for total in _TENS]
    for player, wanted in bankers.items():
        found = [0] * len(wanted)
        for one in _TENS:
            other = (player - one) % 10
            if one > other:
                continue
            ways = counts[one] * (counts[other] - 1) if one == other else 2 * counts[one] * counts[other]
            # Of Banker's ordered pairs, those with one of Player's two cards in them are gone.
            for place, banker in enumerate(wanted):
                with_one = counts[banker - one] - (2 * one % 10 == banker)
                with_other = counts[banker - other] - (2 * other % 10 == banker)
                with_both = player == banker
                found[place] += ways * (pairs[banker] - 2 * (with_one + with_other - with_both))
        known.update(((player, banker), number) for banker, number in zip(wanted, found, strict=True))


def _same(counts: Sequence[int], total: int) -> int:
    """How many cards make this total with themselves, and so are no pair."""
    return 0 if total % 2 else counts[total // 2] + counts[total // 2 + 5]


# The plain facts of a course

_PLAIN = (
    *("player_total", "banker_total", "player_cards", "banker_cards", "player_natural", "banker_natural"),
    *("player_two", "banker_two", "player_third", "banker_third"),
)


PLAIN_OF_A_COURSE = frozenset(_PLAIN)
"""The plain facts that follow from a course alone."""


def _plain(course: Course) -> tuple[Value, ...]:
    """The facts of `_PLAIN`, read without a coup: quick, since every course is asked."""
    player, banker, player_third, banker_third = course
    return (
        (player + (player_third or 0)) % 10,
        (banker + (banker_third or 0)) % 10,
        2 if player_third is None else 3,
        2 if banker_third is None else 3,
        player >= 8,
        banker >= 8,
        player,
        banker,
        "none" if player_third is None else player_third,
        "none" if banker_third is None else banker_third,
    )


@cache
def _columns() -> dict[str, tuple[Value, ...]]:
    """For each plain fact its value in every course."""
    return dict(zip(_PLAIN, zip(*map(_plain, courses()), strict=True), strict=True))


class Group(NamedTuple):
    """Courses that agree in the asked facts: one of them, and their number of ways."""

    course: Course
    ways: int


def grouped(ways: Sequence[int], names: Sequence[str]) -> list[Group]:
    """The courses that can happen, gathered by the values of these plain facts."""
    columns, every = _columns(), courses()
    keys = list(zip(*[columns[name] for name in names], strict=True))
    sums: defaultdict[tuple[Value, ...], int] = defaultdict(int)
    for key, number in zip(keys, ways, strict=True):
        sums[key] += number
    one_of = dict(compress(zip(keys, every, strict=True), ways))
    return [Group(one_of[key], number) for key, number in sums.items() if number]
