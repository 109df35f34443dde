"""The facts of `game` for many coups at once (numpy), and what becomes of a wager on each of them.

A fact is an array of places in its domain: `FACTS["winner"].domain[place]` is its value.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from controller.game.cards import DECK, Card, Rank, Suit
from controller.game.facts import FACTS, Value
from controller.game.wagers import Condition, Wager
from controller.lab.simulate_arrays import BANKER_DREW, PLAYER_DREW, Bytes, DealtCoups, units, worth
from controller.lab.simulate_shoe import CODES, RANK_BITS

Flags = NDArray[np.bool_]

_NO_THIRD = np.uint8(10)


class Hands:
    """The coups' cards as hands, each array worked out when it is first asked for."""

    def __init__(self, coups: DealtCoups) -> None:
        self._cards = np.ascontiguousarray(coups.cards[:, :6].T)
        self._values = worth(self._cards)
        self.player_drew = (coups.course & np.uint8(PLAYER_DREW)).astype(np.bool_)
        self.banker_drew = (coups.course & np.uint8(BANKER_DREW)).astype(np.bool_)

    def place(self, number: int) -> Bytes:
        """The codes of the cards dealt so many after the first: 0 and 2 Player's, 1 and 3 Banker's."""
        codes: Bytes = self._cards[number]
        return codes

    def worth_in_four(self, value: int) -> Bytes:
        """How many of the first four cards count this."""
        return _count(*(self._values[:4] == np.uint8(value)))

    @cached_property
    def player_two(self) -> Bytes:
        return units(self._values[0] + self._values[2])

    @cached_property
    def banker_two(self) -> Bytes:
        return units(self._values[1] + self._values[3])

    @cached_property
    def player_third(self) -> Bytes:
        """The value of the third card, 10 where there is none."""
        return np.where(self.player_drew, self._values[4], _NO_THIRD)

    @cached_property
    def banker_third(self) -> Bytes:
        """The same: the card after Player's third, or the fifth when Player stood."""
        third = np.where(self.player_drew, self._values[5], self._values[4])
        return np.where(self.banker_drew, third, _NO_THIRD)

    @cached_property
    def player_total(self) -> Bytes:
        return units(self.player_two + self.player_third)  # a third of 10 counts nothing

    @cached_property
    def banker_total(self) -> Bytes:
        return units(self.banker_two + self.banker_third)

    @cached_property
    def player_pair(self) -> Bytes:
        """0 none, 1 mixed, 2 perfect."""
        return _pair(self._cards[0], self._cards[2])

    @cached_property
    def banker_pair(self) -> Bytes:
        return _pair(self._cards[1], self._cards[3])

    @cached_property
    def same_rank(self) -> Flags:
        """Whether both hands begin with the same rank."""
        return _same_rank(self._cards[0], self._cards[1])


def _same_rank(one: Bytes, other: Bytes) -> Flags:
    same: Flags = ((one ^ other) & np.uint8(RANK_BITS)) == 0
    return same


def _pair(one: Bytes, other: Bytes) -> Bytes:
    return _count(_same_rank(one, other), one == other)


def _winner(hands: Hands) -> Bytes:
    """0 player, 1 banker, 2 tie."""
    player, banker = hands.player_total, hands.banker_total
    return _count(banker >= player, banker == player)


def _margin(hands: Hands) -> Bytes:
    player, banker = hands.player_total, hands.banker_total
    return np.maximum(player, banker) - np.minimum(player, banker)


def _first_of(flags: Flags) -> Bytes:
    """0 where it holds: True comes before False in a domain."""
    return (~flags).view(np.uint8)


def _both_pairs(hands: Hands) -> Flags:
    return (hands.player_pair > 0) & (hands.banker_pair > 0)


def _count(*flags: Flags) -> Bytes:
    """How many of them hold."""
    counted: Bytes = flags[0].view(np.uint8)
    for each in flags[1:]:
        counted = counted + each.view(np.uint8)
    return counted


def _rank(codes: Bytes) -> Bytes:
    """0 ace, 1 to 8 two to nine, 9 to 12 ten, jack, queen, king."""
    ranks = codes & np.uint8(RANK_BITS)
    below_ten = (ranks > 0) & (ranks < np.uint8(10))
    return np.where(ranks == 0, np.uint8(9), ranks - below_ten.view(np.uint8))


def _in_four(hands: Hands, card: Card) -> Bytes:
    """How many of the first four cards are this card."""
    return _count(*(hands.place(number) == np.uint8(CODES[card.number]) for number in range(4)))


def _sevens(hands: Hands) -> Bytes:
    thirds = _count(hands.player_third == np.uint8(7), hands.banker_third == np.uint8(7))
    return hands.worth_in_four(7) + thirds


_EIGHT = np.uint8(8)
_NINES = {card.suit: card for card in DECK if card.rank is Rank.NINE}

ARRAY_FACTS: dict[str, Callable[[Hands], Bytes]] = {
    "winner": _winner,
    "player_total": lambda hands: hands.player_total,
    "banker_total": lambda hands: hands.banker_total,
    "total": lambda hands: np.maximum(hands.player_total, hands.banker_total),
    "player_cards": lambda hands: hands.player_drew.view(np.uint8),
    "banker_cards": lambda hands: hands.banker_drew.view(np.uint8),
    "cards": lambda hands: _count(hands.player_drew, hands.banker_drew),
    "player_natural": lambda hands: _first_of(hands.player_two >= _EIGHT),
    "banker_natural": lambda hands: _first_of(hands.banker_two >= _EIGHT),
    "natural": lambda hands: _first_of((hands.player_two >= _EIGHT) | (hands.banker_two >= _EIGHT)),
    "both_natural": lambda hands: _first_of((hands.player_two >= _EIGHT) & (hands.banker_two >= _EIGHT)),
    "player_two": lambda hands: hands.player_two,
    "banker_two": lambda hands: hands.banker_two,
    "player_third": lambda hands: hands.player_third,
    "banker_third": lambda hands: hands.banker_third,
    "margin": _margin,
    "player_pair": lambda hands: hands.player_pair,
    "banker_pair": lambda hands: hands.banker_pair,
    "pairs": lambda hands: _count(hands.player_pair > 0, hands.banker_pair > 0),
    "perfect_pairs": lambda hands: _count(hands.player_pair > 1, hands.banker_pair > 1),
    "points": lambda hands: hands.player_total + hands.banker_total,
    "same_pair": lambda hands: _first_of(_both_pairs(hands) & hands.same_rank),
    "player_first_rank": lambda hands: _rank(hands.place(0)),
    "player_second_rank": lambda hands: _rank(hands.place(2)),
    "banker_first_rank": lambda hands: _rank(hands.place(1)),
    "banker_second_rank": lambda hands: _rank(hands.place(3)),
    "nines_in_four": lambda hands: hands.worth_in_four(9),
    "nine_suits_in_four": lambda hands: _count(*(_in_four(hands, nine) > 0 for nine in _NINES.values())),
    "diamond_nines_in_four": lambda hands: _in_four(hands, _NINES[Suit.DIAMONDS]),
    "sevens_in_four": lambda hands: hands.worth_in_four(7),
    "sevens": _sevens,
}


class ArrayFacts(dict[str, Bytes]):
    """The facts of many coups, each worked out when first asked for. KeyError for no fact."""

    def __init__(self, coups: DealtCoups) -> None:
        self.hands = Hands(coups)
        self.coups = len(coups.course)

    def __missing__(self, name: str) -> Bytes:
        places = self[name] = ARRAY_FACTS[name](self.hands)
        return places


def holds(condition: Condition, facts: ArrayFacts) -> Flags:
    """On which coups the condition holds."""
    any_of = np.zeros(facts.coups, np.bool_)
    for each in condition.any_of:
        all_of = np.ones(facts.coups, np.bool_)
        for name, allowed in each.facts:
            all_of &= _among(facts[name], FACTS[name].domain, allowed)
        any_of |= all_of
    return any_of


def _among(places: Bytes, domain: tuple[Value, ...], allowed: Iterable[Value]) -> Flags:
    found = np.zeros(len(places), np.bool_)
    for first, last in _runs(sorted(map(domain.index, allowed))):
        found |= (
            places == np.uint8(first) if first == last else (places >= np.uint8(first)) & (places <= np.uint8(last))
        )
    return found


def _runs(places: list[int]) -> Iterator[tuple[int, int]]:
    """Neighbours taken together, as first and last."""
    starts = [place for place in places if place - 1 not in places]
    ends = [place for place in places if place + 1 not in places]
    return zip(starts, ends, strict=True)


def outcomes(wager: Wager, facts: ArrayFacts) -> tuple[int, ...]:
    """How many coups each tier won, in order; then how many were pushed; then how many lost."""
    open_yet = np.ones(facts.coups, np.bool_)
    counted = []
    for condition in (*(tier.wins for tier in wager.tiers), wager.pushes):
        met = holds(condition, facts)
        met &= open_yet
        counted.append(int(np.count_nonzero(met)))
        open_yet ^= met
    return (*counted, facts.coups - sum(counted))
