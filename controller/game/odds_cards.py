"""Of all ordered deals of six cards, how many show each kind of cards: ranks, pairs, suits, whatever the shoe holds.

The first four cards are counted by class (`starts`): the cards of a class are alike but for the pairs, and how many
pairs of a class are perfect does not depend on what the other places hold. Then come the third cards, by value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations_with_replacement
from math import perm

from controller.game.cards import Card
from controller.game.coup import Coup, Pair
from controller.game.facts import INITIAL_FACTS, Value
from controller.game.reachable import course_rows, courses_by_totals, every_course, third_sevens, with_sevens
from controller.game.starts import Kind, Question, Starts, TwoCards, starts

CardsLeft = Mapping[Card, int]


Row = tuple[Value, ...]


@dataclass(slots=True)
class Counted:
    """Kinds of coups by their row of values: the ways of each, all above zero, and one coup of it."""

    ways: dict[Row, int] = field(default_factory=dict)
    examples: dict[Row, tuple[Coup, int]] = field(default_factory=dict)

    def add(self, row: Row, ways: int, four: Coup, course: int) -> None:
        """`four` has the first four cards of an example, `course` the number of the course it takes."""
        if row in self.ways:
            self.ways[row] += ways
        else:
            self.ways[row] = ways
            self.examples[row] = four, course

    def coup(self, row: Row) -> Coup:
        """An example."""
        four, course = self.examples[row]
        thirds = every_course()[course]
        return Coup(four.player[:2] + thirds.player[2:], four.banker[:2] + thirds.banker[2:])


def card_ways(left: CardsLeft, question: Question) -> Counted:
    """Every kind that can happen, by the values of the asked facts of the cards and then of the others."""
    number = sum(left.values())
    found = starts(question)
    counting = _Counting([[left[card] for card in alike] for alike in found.classes])
    cards, others = question.cards, question.others
    if question.names <= INITIAL_FACTS:
        return _initial(found, counting, perm(number - 4, 2), others)
    sevens = cards.index("sevens") if "sevens" in cards else None
    return _with_thirds(_tallied(found, counting), _values_left(left), sevens, list(course_rows(others)))


def _values_left(left: CardsLeft) -> list[int]:
    counts = [0] * 10
    for card, number in left.items():
        counts[card.value] += number
    return counts


def _initial(of: Starts, counting: "_Counting", rest: int, others: Sequence[str]) -> Counted:
    """What the first four cards settle; any course that follows on them has the same values."""
    sums, examples = _summed(of, counting)
    ways = dict.fromkeys(examples, 0)
    for key, some in sums.items():
        ways[key >> _BITS] += some
    rows, found = list(course_rows(others)), Counted()
    for number, four in examples.items():
        course = courses_by_totals()[four.player_two, four.banker_two][0]
        found.add(of.kinds[number][2] + rows[course], ways[number] * rest, four, course)
    return found


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


def _tallied(found: Starts, counting: "_Counting") -> dict[Kind, _Tally]:
    """The starts of each kind that has any ways."""
    sums, examples = _summed(found, counting)
    tallies = {number: _Tally(four) for number, four in examples.items()}
    for key, ways in sums.items():
        tallies[key >> _BITS].add(_held()[key & (1 << _BITS) - 1], ways)
    return {found.kinds[number]: tally for number, tally in tallies.items()}


def _summed(found: Starts, counting: "_Counting") -> tuple[dict[int, int], dict[int, Coup]]:
    """Ways by the number of a kind and, in the lowest bits, of the four values; and an example of each kind.

    Asked of every start, so the loop is as plain as can be.
    """
    values = [cards[0].value for cards in found.classes]
    sums: dict[int, int] = {}
    examples: dict[int, Coup] = {}
    of_bankers = [_two_values(values, hand) for hand in found.bankers]
    plain = [  # most of them: what they need, in plain numbers
        (hand.first, hand.second, hand.first == hand.second, hand.orders, parts, held, hand.cards)
        for hand, parts, held in zip(found.bankers, found.banker_parts, of_bankers, strict=True)
        if hand.alike is Pair.NONE
    ]
    pairs = [
        (hand, parts, held)
        for hand, parts, held in zip(found.bankers, found.banker_parts, of_bankers, strict=True)
        if hand.alike is not Pair.NONE
    ]
    for player, player_parts in zip(found.players, found.player_parts, strict=True):
        numbers, held_with = found.numbers[player_parts], _four_values()[_two_values(values, player)]
        if ways_of_player := counting.alone(player):
            left = counting.left_after(player)
            for first, second, same, orders, parts, held, cards in plain:
                ways = left[first] * (left[second] - same)
                if ways:
                    kind = numbers[parts]
                    key = kind << _BITS | held_with[held]
                    sums[key] = sums.get(key, 0) + ways_of_player * orders * ways
                    if kind not in examples:
                        examples[kind] = Coup(player.cards, cards)
        for banker, parts, held in pairs:
            if ways := counting.ways(player, banker):
                kind = numbers[parts]
                key = kind << _BITS | held_with[held]
                sums[key] = sums.get(key, 0) + ways
                examples.setdefault(kind, Coup(player.cards, banker.cards))
    return sums, examples


# Four values, whatever their order, as a number


_BITS = 10
"""There are 715 of them."""


@cache
def _held() -> list[tuple[int, ...]]:
    return list(combinations_with_replacement(range(10), 4))


@cache
def _four_values() -> list[list[int]]:
    """By the number of two values and that of two others the number of the four."""
    numbers = {held: number for number, held in enumerate(_held())}
    twos = list(combinations_with_replacement(range(10), 2))
    return [[numbers[tuple(sorted((*two, *other)))] for other in twos] for two in twos]


@cache
def _twos() -> dict[tuple[int, int], int]:
    found = {two: number for number, two in enumerate(combinations_with_replacement(range(10), 2))}
    return found | {two[::-1]: number for two, number in found.items()}


def _two_values(values: list[int], hand: TwoCards) -> int:
    return _twos()[values[hand.first], values[hand.second]]


def _with_thirds(tallies: Mapping[Kind, _Tally], counts: list[int], sevens: int | None, rows: list[Row]) -> Counted:
    """Every kind that the card facts and the course tell apart; `rows` are what each course settles."""
    cards, found = sum(counts), Counted()
    more = third_sevens()
    for (player_two, banker_two, of_four), tally in tallies.items():
        for course, thirds, rest in _thirds(player_two, banker_two, cards):
            if ways := tally.with_thirds(thirds, counts) * rest:
                found.add(with_sevens(of_four, sevens, more[course]) + rows[course], ways, tally.coup, course)
    return found


@cache
def _thirds(player_two: int, banker_two: int, cards: int) -> list[tuple[int, tuple[int, ...], int]]:
    """The courses with these two-card totals: the number of each, the values of its third cards as dealt, and the
    ways to deal the places that are left, so that all deals have six cards."""
    found = []
    for number in courses_by_totals()[player_two, banker_two]:
        player, banker = every_course()[number]
        thirds = tuple(card.value for card in (*player[2:], *banker[2:]))
        found.append((number, thirds, perm(cards - 4 - len(thirds), 2 - len(thirds))))
    return found


class _Counting:
    """Ordered deals of four cards by class. `left` holds for each class how many there are of each of its cards."""

    def __init__(self, left: list[list[int]]) -> None:
        self.left = [sum(cards) for cards in left]
        self.perfect = [sum(perm(number, 2) for number in cards) for cards in left]
        self.both_perfect = [
            perfect**2 - sum(perm(number, 2) ** 2 - perm(number, 4) for number in cards)
            for perfect, cards in zip(self.perfect, left, strict=True)
        ]

    def alone(self, hand: TwoCards) -> int:
        """How often this hand is dealt from a whole shoe."""
        return self._apart(hand, ()) if hand.alike is Pair.NONE else self._pairs(hand)

    def left_after(self, hand: TwoCards) -> list[int]:
        """What is left of each class without this hand."""
        left = list(self.left)
        left[hand.first] -= 1
        left[hand.second] -= 1
        return left

    def ways(self, player: TwoCards, banker: TwoCards) -> int:
        """How often these two hands are dealt."""
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
