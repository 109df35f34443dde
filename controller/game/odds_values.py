"""Of all ordered deals of six cards, how many take each course: counted by value, exactly, whatever the shoe holds.

Six cards dealt without return are as likely in one order as in another. So the third cards are taken out first, and
the first four are counted in what is left: for each pair of values that the third cards can have, one count for each
pair of two-card totals, instead of one for each sequence of values.
"""

from collections.abc import Sequence
from functools import cache
from math import perm
from typing import NamedTuple

from controller.game import tableau
from controller.game.reachable import every_course

_TENS = range(10)


class Course(NamedTuple):
    """Both two-card totals, and the values of the third cards, None for a hand that took none."""

    player_two: int
    banker_two: int
    player_third: int | None
    banker_third: int | None


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


def ways_by_course(left: Sequence[int]) -> list[int]:
    """The same in the order of `every_course()`."""
    ways = course_ways(left)
    return [ways[number] for number in _places()]


@cache
def _places() -> tuple[int, ...]:
    """For each of `every_course()` its place in `courses()`."""
    places = {course: number for number, course in enumerate(courses())}
    return tuple(
        places[Course(coup.player_two, coup.banker_two, coup.player_third_value, coup.banker_third_value)]
        for coup in every_course()
    )
