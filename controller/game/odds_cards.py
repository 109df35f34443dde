"""Of all ordered deals of six cards, how many show each kind of cards: ranks, pairs, suits, whatever the shoe holds.

The first four cards are counted by class (`starts`): the cards of a class are alike but for the pairs, and how many
pairs of a class are perfect does not depend on what the other places hold. Then come the third cards, by value.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import perm
from typing import NamedTuple

from controller.game.cards import Card
from controller.game.coup import Coup, Pair
from controller.game.facts import INITIAL_FACTS, Facts, Value
from controller.game.reachable import ONE_OF_EACH_VALUE
from controller.game.starts import Start, TwoCards, plain, starts

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
    values = [cards[0].value for cards in found.classes]
    return list(_with_thirds(_gathered(found.starts, values, counting), left, cards))


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


class _Gathered(NamedTuple):
    """Starts of one kind with the same four values, as far as third cards go: an example, and their ways."""

    start: Start
    ways: int


Key = tuple[tuple[Value, ...], tuple[int, ...]]


def _gathered(every: tuple[Start, ...], values: list[int], counting: "_Counting") -> dict[Key, _Gathered]:
    found: dict[Key, _Gathered] = {}
    for start in every:
        if ways := counting.ways(start):
            (a, b, *_), (c, d, *_) = start.player, start.banker
            key = start.kind, tuple(sorted((values[a], values[b], values[c], values[d])))
            known = found.get(key)
            found[key] = _Gathered(start, ways) if known is None else _Gathered(known.start, known.ways + ways)
    return found


def _with_thirds(gathered: Mapping[Key, _Gathered], left: CardsLeft, cards: int) -> Iterator[CardKinds]:
    counts = [0] * 10
    for card, number in left.items():
        counts[card.value] += number
    ways: dict[tuple[tuple[Value, ...], tuple[int, ...]], int] = {}
    first: dict[tuple[Value, ...], Coup] = {}
    for (kind, values), start in gathered.items():
        rest = list(counts)
        for value in values:
            rest[value] -= 1
        coup = first.setdefault(kind, Coup(start.start.player.cards, start.start.banker.cards))
        for thirds in _thirds(coup.player_two, coup.banker_two):
            times = start.ways
            for place, value in enumerate(thirds):
                times *= rest[value] - (place and thirds[0] == value)
            if times:
                ways[kind, thirds] = ways.get((kind, thirds), 0) + times
    for (kind, thirds), number in ways.items():
        coup = first[kind]
        for value in thirds:
            coup = coup.dealt(ONE_OF_EACH_VALUE[value])
        yield CardKinds(Facts(coup), number * perm(cards - 4 - len(thirds), 2 - len(thirds)))


@lru_cache(maxsize=100)
def _thirds(player_two: int, banker_two: int) -> tuple[tuple[int, ...], ...]:
    """The values of the third cards, in the order dealt, that complete a coup with these two-card totals."""
    worthless = ONE_OF_EACH_VALUE[0]
    start = Coup((ONE_OF_EACH_VALUE[player_two], worthless), (ONE_OF_EACH_VALUE[banker_two], worthless))

    def complete(coup: Coup, drawn: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if coup.complete:
            yield drawn
            return
        for card in ONE_OF_EACH_VALUE:
            yield from complete(coup.dealt(card), (*drawn, card.value))

    return tuple(complete(start, ()))


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
