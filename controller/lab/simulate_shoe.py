"""Shoes of a simulation: shuffled from a seed, burned, dealt to the last coup. Plain Python; arrays do the very same.

Each half of a word of SplitMix64 (Steele, Lea, Flood 2014) is one card's key: the card takes the place of the key's
lowest six bits, and the keys are sorted. A shoe in which two keys agree in all other bits is not dealt but shuffled
again: so every order is alike, exactly as far as the words are independent. No number is drawn from a range, where
a bias could creep in, and each shoe stands by itself, whatever was dealt before it and by whom.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, pairwise

from controller.game.cards import DECK, Card
from controller.game.coup import Coup, deal_coup
from controller.game.shoe import BurnBy, BurnRule, CutCard

CARDS_A_DECK = len(DECK)
MOST_DECKS = 12
WORDS_A_SHOE = 512
"""A shoe's words follow those of the shoe before it; enough for two cards each of the largest shoe."""
GAMMA, FIRST_FACTOR, SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
MASK = 2**64 - 1
A_SHOE_ON = WORDS_A_SHOE * GAMMA & MASK

CODE_BITS, RANK_BITS = 0x3F, 0x0F
KEY_BITS = 2**32 - 1 - CODE_BITS
FIRST_COURT = 10


def _code(card: Card) -> int:
    """A card in six bits: the suit in the upper two; below it 0 a ten, 1 to 9 as it counts, 10 to 12 the court."""
    suit, place = divmod(card.number, CARDS_A_DECK // 4)
    return suit << 4 | (card.value or (place - 9 and place))


CODES = tuple(map(_code, DECK))
CARD_BY_CODE = dict(zip(CODES, DECK, strict=True))


@dataclass(frozen=True, slots=True)
class ShoeRule:
    """How many decks are shuffled, how many cards of them are burned, and when the shoe ends."""

    decks: int
    burn: BurnRule
    cut_card: CutCard

    @property
    def cut_at(self) -> int:
        """So many cards lie before the cut card."""
        return self.decks * CARDS_A_DECK - self.cut_card.depth

    def burned(self, first_card: Card) -> int:
        """The cards that are gone before the first coup, the one that was turned to learn their number with them."""
        burned = self.burn.due(self.decks, first_card)
        assert burned is not None
        return burned + (self.burn.by is BurnBy.FIRST_CARD)

    def coups_after(self, began: int, ended: int) -> int | None:
        """How many coups follow one dealt from card `began` to before card `ended`; None when the cut card is to come.

        Asked until it is known. As the first card of a coup it makes that coup the last (JP schedule 3).
        """
        if ended <= self.cut_at:
            return None
        return 0 if began >= self.cut_at else self.cut_card.coups_after


def usual_shoe(decks: int) -> ShoeRule:
    """As in Las Vegas: as many cards burned as the first is worth, a cut card 14 from the end, one more coup."""
    return ShoeRule(decks, BurnRule(BurnBy.FIRST_CARD), CutCard(14, 1))


def mixed(word: int) -> int:
    """The output function of SplitMix64: each 64-bit word to another, no two to the same."""
    word = (word ^ word >> 30) * FIRST_FACTOR & MASK
    word = (word ^ word >> 27) * SECOND_FACTOR & MASK
    return word ^ word >> 31


def before_shoe(seed: int, shoe: int, attempt: int) -> int:
    """The generator's state before the words of a shoe (from 0), the first time or when it is shuffled again.

    Neighbouring seeds, and attempts, begin far from each other.
    """
    return mixed(mixed(seed) + attempt & MASK) + shoe * A_SHOE_ON & MASK


def shuffled(seed: int, shoe: int, decks: int) -> list[Card]:
    """The cards of a shoe, top first."""
    for attempt in count():
        keys = sorted(_keys(before_shoe(seed, shoe, attempt), CODES * decks))
        if all((one ^ other) & KEY_BITS for one, other in pairwise(keys)):
            return [CARD_BY_CODE[key & CODE_BITS] for key in keys]
    raise AssertionError("the attempts do not end")


def _keys(state: int, codes: tuple[int, ...]) -> list[int]:
    keys: list[int] = []
    for low, high in zip(codes[::2], codes[1::2], strict=True):
        state = state + GAMMA & MASK
        word = (state ^ state >> 30) * FIRST_FACTOR & MASK  # `mixed`, written out: it is most of the work
        word = (word ^ word >> 27) * SECOND_FACTOR & MASK
        word ^= word >> 31
        keys += (word & KEY_BITS | low, word >> 32 & KEY_BITS | high)
    return keys


def coups(cards: list[Card], rule: ShoeRule) -> Iterator[Coup]:
    """Every coup of a shoe, from the burn to the last."""
    began = rule.burned(cards[0])
    shoe, left = iter(cards[began:]), None
    while left != 0:
        coup = deal_coup(shoe)
        yield coup
        ended = began + len(coup.player) + len(coup.banker)
        left = rule.coups_after(began, ended) if left is None else left - 1
        began = ended
