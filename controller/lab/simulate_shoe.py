"""Shoes of a simulation: shuffled from a seed, burned, dealt to the last coup. Plain Python; arrays do the very same.

Each card of a shoe gets a word of SplitMix64 (Steele, Lea, Flood 2014), takes the place of the word's low byte, and the
words are sorted. So every shoe stands by itself, whatever was dealt before and by whom, and a shuffle makes no
draw from a range that could be biased: independent words lie in every order alike. Two words that agree in their upper
56 bits would come in the order of their cards; that happens in one of 10^12 shoes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from controller.game.cards import DECK, Card
from controller.game.coup import Coup, deal_coup
from controller.game.shoe import BurnBy, BurnRule, CutCard

CARDS_A_DECK = len(DECK)
MOST_DECKS = 12
WORDS_A_SHOE = 1024
"""A shoe's words follow those of the shoe before it; more than the cards of the largest shoe."""
GAMMA, FIRST_FACTOR, SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
MASK = 2**64 - 1


def _code(card: Card) -> int:
    """A card as a byte: its value in the low half; above it the suit and, among the tens, which of the four."""
    place = card.number % 13
    return card.value | (card.number // 13) << 4 | (place - 9 if place > 9 else 0) << 6


CODES = tuple(map(_code, DECK))
CARD_BY_CODE = dict(zip(CODES, DECK, strict=True))
VALUE_BITS, SUIT_BITS = 0x0F, 0x30
"""Two cards are of one rank when their codes agree but for the suit's bits."""


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


def before_shoe(seed: int, shoe: int) -> int:
    """The generator's state before the words of a shoe (from 0); neighbouring seeds begin far from each other."""
    return mixed(seed) + shoe * WORDS_A_SHOE * GAMMA & MASK


def shuffled(seed: int, shoe: int, decks: int) -> list[Card]:
    """The cards of a shoe, top first."""
    keys, state = [], before_shoe(seed, shoe)
    for code in CODES * decks:
        state = state + GAMMA & MASK
        word = (state ^ state >> 30) * FIRST_FACTOR & MASK  # `mixed`, written out: it is most of the work
        word = (word ^ word >> 27) * SECOND_FACTOR & MASK
        keys.append((word ^ word >> 31) & ~0xFF | code)
    keys.sort()
    return [CARD_BY_CODE[key & 0xFF] for key in keys]


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
