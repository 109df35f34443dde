"""Of all ordered deals of six cards, how many show each kind of cards: ranks, pairs, suits, whatever the shoe holds.

The first four cards are counted by class (`starts`): the cards of a class are alike but for the pairs, and how many
pairs of a class are perfect does not depend on what the other places hold. Then come the third cards, by value.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import perm
from typing import NamedTuple

from controller.game.cards import Card
from controller.game.coup import Coup, Pair
from controller.game.facts import INITIAL_FACTS, Facts, Value
from controller.game.odds_values import PLAIN_OF_A_COURSE, course_numbers, grouped
from controller.game.reachable import ONE_OF_EACH_VALUE
from controller.game.starts import Start, Starts, TwoCards, plain, starts

CardsLeft = Mapping[Card, int]


class CardKinds(NamedTuple):
    """The facts of one coup of a kind, and the ordered six-card deals that are of it."""

    facts: Facts
    ways: int


def card_ways(left: CardsLeft, names: frozenset[str]) -> list[CardKinds]:
    """Every kind that can happen, by the plain facts from which `names` follow; a kind may come in several parts."""
    cards = sum(left.values())
    found = starts(plain(names))
    counting = _Counting([[left[card] for card in cards] for cards in found.classes])
    if names <= INITIAL_FACTS:
        return _initial(found.starts, counting, perm(cards - 4, 2))
    tallies = _tallied(found, counting)
    return list(_with_thirds(tallies, _values_left(left), sorted(plain(names) & PLAIN_OF_A_COURSE)))


def _values_left(left: CardsLeft) -> list[int]:
    counts = [0] * 10
    for card, number in left.items():
        counts[card.value] += number
    return counts


def _initial(every: tuple[Start, ...], counting: "_Counting", rest: int) -> list[CardKinds]:
    sums: dict[tuple[Value, ...], int] = {}
    first: dict[tuple[Value, ...], Start] = {}
    for start in every:
        sums[start.kind] = sums.get(start.kind, 0) + counting.ways(start)
        first.setdefault(start.kind, start)
    return [
        CardKinds(Facts(Coup(first[kind].player.cards, first[kind].banker.cards)), ways * rest)
        for kind, ways in sums.items()
        if ways
    ]


@dataclass(slots=True)
class _Tally:
    """The starts of one kind: an example, their ways, and the ways weighted by how many cards of a value they hold.

    `ones[x]` sums ways times the start's cards of value x, `twos[10 * x + y]` ways times its x times its y: enough to
    know, for all of them together, how the cards left over for third cards are spread.
    """

    coup: Coup
    ways: int = 0
    ones: list[int] = field(default_factory=lambda: [0] * 10)
    twos: list[int] = field(default_factory=lambda: [0] * 100)

    def add(self, values: tuple[int, ...], ways: int) -> None:
        self.ways += ways
        for one in values:
            self.ones[one] += ways
            for other in values:
                self.twos[10 * one + other] += ways

    def with_thirds(self, thirds: tuple[int, ...], counts: list[int]) -> int:
        """Ways to draw third cards of these values after these starts; `counts` is what the whole shoe holds."""
        match thirds:
            case ():
                return self.ways
            case (one,):
                return self.ways * counts[one] - self.ones[one]
            case (one, other):
                after_one = counts[other] - (one == other)
                fewer = counts[one] * self.ones[other] + after_one * self.ones[one]
                return self.ways * counts[one] * after_one - fewer + self.twos[10 * one + other]
        raise AssertionError(f"{len(thirds)} third cards")


def _tallied(found: Starts, counting: "_Counting") -> dict[tuple[Value, ...], _Tally]:
    values = [cards[0].value for cards in found.classes]
    tallies: dict[tuple[Value, ...], _Tally] = {}
    for start in found.starts:
        if ways := counting.ways(start):
            player, banker = start.player, start.banker
            if start.kind not in tallies:
                tallies[start.kind] = _Tally(Coup(player.cards, banker.cards))
            four = (values[player.first], values[player.second], values[banker.first], values[banker.second])
            tallies[start.kind].add(four, ways)
    return tallies


def _with_thirds(
    tallies: Mapping[tuple[Value, ...], _Tally], counts: list[int], names: list[str]
) -> Iterator[CardKinds]:
    """Every kind that the initial facts and these facts of the course tell apart."""
    cards = sum(counts)
    courses_of: dict[tuple[Value, ...], list[int]] = {}
    numbers = course_numbers()
    for (_, _, *initial), tally in tallies.items():
        ways = courses_of.setdefault(tuple(initial), [0] * len(numbers))
        for number, thirds in _thirds(tally.coup.player_two, tally.coup.banker_two):
            ways[number] = tally.with_thirds(thirds, counts) * perm(cards - 4 - len(thirds), 2 - len(thirds))
    for of_initial, ways in courses_of.items():
        for course, number in grouped(ways, names):
            coup = tallies[course.player_two, course.banker_two, *of_initial].coup
            for third in course.thirds:
                coup = coup.dealt(ONE_OF_EACH_VALUE[third])
            yield CardKinds(Facts(coup), number)


@cache
def _thirds(player_two: int, banker_two: int) -> list[tuple[int, tuple[int, ...]]]:
    """The courses with these two-card totals: the number of each, and the values of its third cards as dealt."""
    return [
        (number, course.thirds)
        for course, number in course_numbers().items()
        if (course.player_two, course.banker_two) == (player_two, banker_two)
    ]


class _Counting:
    """Ordered deals of four cards by class. `left` holds for each class how many there are of each of its cards."""

    def __init__(self, left: list[list[int]]) -> None:
        self.left = [sum(cards) for cards in left]
        self.perfect = [sum(perm(number, 2) for number in cards) for cards in left]
        self.both_perfect = [
            perfect**2 - sum(perm(number, 2) ** 2 - perm(number, 4) for number in cards)
            for perfect, cards in zip(self.perfect, left, strict=True)
        ]

    def ways(self, start: Start) -> int:
        """How often this start is dealt."""
        player, banker = start.player, start.banker
        if player.alike is Pair.NONE and banker.alike is Pair.NONE:
            return self._apart(player, ()) * self._apart(banker, (player.first, player.second))
        if player.alike is Pair.NONE or banker.alike is Pair.NONE:
            pair, other = (banker, player) if player.alike is Pair.NONE else (player, banker)
            return self._pairs(pair) * self._apart(other, (pair.first, pair.first))
        if player.first != banker.first:
            return self._pairs(player) * self._pairs(banker)
        return self._two_pairs(player.first, player.alike, banker.alike)

    def _apart(self, hand: TwoCards, gone: tuple[int, ...]) -> int:
        first = self.left[hand.first] - gone.count(hand.first)
        second = self.left[hand.second] - gone.count(hand.second) - (hand.first == hand.second)
        return hand.orders * first * second

    def _pairs(self, hand: TwoCards) -> int:
        perfect = self.perfect[hand.first]
        return perfect if hand.alike is Pair.PERFECT else perm(self.left[hand.first], 2) - perfect

    def _two_pairs(self, of: int, player: Pair, banker: Pair) -> int:
        """Both hands pairs of one class."""
        left, both = self.left[of], self.both_perfect[of]
        one = self.perfect[of] * perm(left - 2, 2) if left >= 2 else 0  # one hand perfect, the other any pair
        if player is banker:
            return both if player is Pair.PERFECT else perm(left, 4) - 2 * one + both
        return one - both
