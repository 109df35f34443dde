"""Many shoes side by side in arrays (numpy): the shoes of `simulate_shoe`, and every coup of them.

The course of a coup, who draws, is asked of `game` once for each state; nothing here knows the rule.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.game.cards import Card
from controller.game.coup import Coup
from controller.lab.simulate_shoe import (
    A_SHOE_ON,
    CARD_BY_CODE,
    CODE_BITS,
    CODES,
    FIRST_COURT,
    FIRST_FACTOR,
    GAMMA,
    KEY_BITS,
    RANK_BITS,
    SECOND_FACTOR,
    ShoeRule,
    before_shoe,
)

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Counts = NDArray[np.intp]

SHUFFLED_AT_ONCE = 128
"""Shoes whose words stay in the processor's cache."""
PLAYER_DREW, BANKER_DREW = 1, 2
_SPARE = bytes(8)
"""Behind the last shoe: the cards of a coup are taken eight at a time, however many it needs."""


class DealtCoups(NamedTuple):
    """Coups in arrays, in no order: the next eight cards of the shoe as each coup began, and who drew.

    `cards` has a row of codes for each; `course` is the sum of PLAYER_DREW and BANKER_DREW; `number` counts the coups
    from 0, shoe after shoe.
    """

    cards: Bytes
    course: Bytes
    number: Counts

    def first(self, coups: int) -> "DealtCoups":
        """Those with a lower number."""
        kept = self.number < coups
        return DealtCoups(self.cards[kept], self.course[kept], self.number[kept])


def _course(player: int, banker: int, fifth: int) -> int:
    """Who draws with these two-card totals when the fifth card counts this."""
    worth = {card.value: card for card in CARD_BY_CODE.values()}
    nothing = worth[0]
    coup = Coup((nothing, worth[player]), (nothing, worth[banker]))
    player_drew = coup.player_draws
    after = coup.dealt(worth[fifth]) if player_drew else coup
    return PLAYER_DREW * player_drew + BANKER_DREW * after.banker_draws


def _courses() -> Bytes:
    """By both two-card totals and the value of the fifth card, one digit each."""
    return np.array([_course(state // 100, state // 10 % 10, state % 10) for state in range(1000)], np.uint8)


def shuffled(seed: int, shoes: range, decks: int) -> Bytes:
    """The codes of so many shoes, one after the other, top first, and eight bytes more."""
    size = len(CODES) * decks
    codes = np.zeros(len(shoes) * size + len(_SPARE), np.uint8)
    by_shoe = codes[: -len(_SPARE)].reshape(len(shoes), size)
    for start in range(0, len(shoes), SHUFFLED_AT_ONCE):
        some = shoes[start : start + SHUFFLED_AT_ONCE]
        by_shoe[start : start + len(some)] = _shuffled(seed, some, decks)
    return codes


def _shuffled(seed: int, shoes: Sequence[int], decks: int, attempt: int = 0) -> Bytes:
    cards = np.array(CODES * decks, np.uint32)
    steps = np.arange(1, len(cards) // 2 + 1, dtype=np.uint64) * np.uint64(GAMMA)
    states = np.array(shoes, np.uint64) * np.uint64(A_SHOE_ON) + np.uint64(before_shoe(seed, 0, attempt))
    keys = _mixed(states[:, None] + steps).astype("<u8", copy=False).view("<u4")  # the low half first
    keys &= np.uint32(KEY_BITS)
    keys |= cards
    keys.sort(axis=1)
    codes = keys.astype(np.uint8) & np.uint8(CODE_BITS)
    alike = ((keys[:, 1:] ^ keys[:, :-1]) <= np.uint32(CODE_BITS)).any(axis=1).nonzero()[0]
    if len(alike):
        codes[alike] = _shuffled(seed, [shoes[number] for number in alike], decks, attempt + 1)
    return codes


def _mixed(words: Words) -> Words:
    """`simulate_shoe.mixed` of each, in place."""
    shifted = words >> np.uint64(30)
    words ^= shifted
    words *= np.uint64(FIRST_FACTOR)
    words ^= np.right_shift(words, np.uint64(27), out=shifted)
    words *= np.uint64(SECOND_FACTOR)
    words ^= np.right_shift(words, np.uint64(31), out=shifted)
    return words


class _Coup(NamedTuple):
    """The same coup (the third, say) of every shoe that still deals."""

    shoe: Counts
    cards: Words
    course: Bytes


class Dealer:
    """Deals the shoes of one rule."""

    def __init__(self, rule: ShoeRule, seed: int) -> None:
        self._rule, self._seed = rule, seed
        self._courses = _courses()
        self._burned = np.zeros(CODE_BITS + 1, np.intp)
        for code, card in CARD_BY_CODE.items():
            self._burned[code] = rule.burned(card)

    def deal(self, shoes: range) -> DealtCoups:
        """Every coup of these shoes."""
        codes = shuffled(self._seed, shoes, self._rule.decks)
        dealt = list(self._coups(codes, len(shoes)))
        shoe = np.concatenate([coup.shoe for coup in dealt])
        turn = np.repeat(np.arange(len(dealt)), [len(coup.shoe) for coup in dealt])
        before = np.concatenate([[0], np.bincount(shoe, minlength=len(shoes)).cumsum()])
        cards = np.concatenate([coup.cards for coup in dealt])
        course = np.concatenate([coup.course for coup in dealt])
        return DealtCoups(_as_bytes(cards), course, before[shoe] + turn)

    def _coups(self, codes: Bytes, shoes: int) -> Iterator[_Coup]:
        """One coup of every shoe after the other, until the last shoe has ended."""
        size = self._rule.decks * len(CODES)
        eight_from: Words = np.ndarray((shoes * size + 1,), "<u8", codes, strides=(1,))  # read at any byte
        shoe = np.arange(shoes)
        first = shoe * size
        at = first + self._burned[codes[first]]
        cut_at = first + self._rule.cut_at
        left = np.full(shoes, -1)
        while len(shoe):
            cards = eight_from[at]
            course = self._course_of(_as_bytes(cards))
            yield _Coup(shoe, cards, course)
            began, at = at, at + 4 + (course & PLAYER_DREW) + (course >> 1)
            if not (at > cut_at).any():
                continue
            left = self._left_after(left, began >= cut_at, at > cut_at)
            if not left.all():
                deals = left != 0
                shoe, at, cut_at, left = shoe[deals], at[deals], cut_at[deals], left[deals]

    def _course_of(self, cards: Bytes) -> Bytes:
        values = worth(cards)
        state = units(values[:, 0] + values[:, 2]).astype(np.uint16)
        state *= np.uint16(10)
        state += units(values[:, 1] + values[:, 3])
        state *= np.uint16(10)
        state += values[:, 4]
        return self._courses.take(state, mode="clip")

    def _left_after(self, left: Counts, first_card: NDArray[np.bool_], out: NDArray[np.bool_]) -> Counts:
        """`ShoeRule.coups_after` of each shoe: -1 while the cut card is to come."""
        known = np.where(first_card, 0, self._rule.cut_card.coups_after)
        return np.where(left > 0, left - 1, np.where(out, known, -1))


def worth(codes: Bytes) -> Bytes:
    """What each card counts."""
    ranks = codes & np.uint8(RANK_BITS)
    ranks *= (ranks < np.uint8(FIRST_COURT)).view(np.uint8)
    return ranks


def units(sums: Bytes) -> Bytes:
    """The last digit of numbers up to 19: ten less wraps below zero, and so is larger, unless there are ten."""
    digits: Bytes = np.minimum(sums, sums - np.uint8(10))
    return digits


def _as_bytes(cards: Words) -> Bytes:
    return cards.view(np.uint8).reshape(-1, cards.itemsize)


def as_coup(cards: Bytes, course: int) -> Coup:
    """One coup of an array as a value of `game`."""
    row: list[Card] = [CARD_BY_CODE[int(code)] for code in cards[:6] if int(code) in CARD_BY_CODE]
    player, banker = tuple(row[0:4:2]), tuple(row[1:4:2])
    rest = iter(row[4:])
    if course & PLAYER_DREW:
        player += (next(rest),)
    if course & BANKER_DREW:
        banker += (next(rest),)
    return Coup(player, banker)
