"""What a shoe may still hold: decks, burn cards, the cut card; a ninth eight of spades is refused."""

from dataclasses import dataclass
from enum import Enum

from controller.game.cards import DECK, Card, Rank


class ShoeEmpty(Exception):
    """More cards came out, or are due, than the shoe holds."""


class ForeignCard(Exception):
    """More of one card came out than the decks hold."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """What came out of a shoe of so many decks, and so what it may still hold.

    `outs` counts each card by its number; `unknown` counts cards that came out unseen (burn cards).
    """

    decks: int
    outs: bytes
    unknown: int = 0

    @classmethod
    def full(cls, decks: int) -> "Inventory":
        """A whole shoe; a count of one card must fit a byte, so at most 255 decks."""
        assert 1 <= decks <= 255, f"a shoe has 1 to 255 decks, not {decks}"
        return cls(decks, bytes(len(DECK)))

    def without(self, card: Card | None) -> "Inventory":
        """One card less; None is a card that came out unseen.

        Raises ForeignCard when more of this card came out than the decks hold, ShoeEmpty when the shoe held no more.
        """
        if card is not None and self.out(card) >= self.decks:
            raise ForeignCard(f"{card} came out {self.out(card) + 1} times, {self.decks} decks hold {self.decks}")
        if self.cards_left == 0:
            raise ShoeEmpty(f"one more card came out than the {self.decks * len(DECK)} of {self.decks} decks")
        if card is None:
            return Inventory(self.decks, self.outs, self.unknown + 1)
        outs = bytearray(self.outs)
        outs[card.number] += 1
        return Inventory(self.decks, bytes(outs), self.unknown)

    @property
    def cards_left(self) -> int:
        return self.decks * len(DECK) - sum(self.outs) - self.unknown

    def out(self, card: Card) -> int:
        """How many of this card came out, as far as they were seen."""
        return self.outs[card.number]


class BurnBy(Enum):
    FIRST_CARD = "first-card"
    DECKS = "decks"
    FIXED = "fixed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class BurnRule:
    """How many cards a new shoe burns: the worth of its first card, as many as decks, a fixed count, or none.

    `cards` is for `FIXED`; `ace` and `court` (tens too) are what those first cards are worth.
    """

    by: BurnBy
    cards: int = 0
    ace: int = 1
    court: int = 10

    def due(self, decks: int, first_card: Card | None) -> int | None:
        """The burn cards that must follow; the first card that is turned to learn it is not one of them.

        None while that card is not known.
        """
        match self.by:
            case BurnBy.NONE:
                return 0
            case BurnBy.FIXED:
                return self.cards
            case BurnBy.DECKS:
                return decks
            case BurnBy.FIRST_CARD:
                return None if first_card is None else self._worth(first_card)

    def _worth(self, first_card: Card) -> int:
        match first_card.rank:
            case Rank.ACE:
                return self.ace
            case Rank.TEN | Rank.JACK | Rank.QUEEN | Rank.KING:
                return self.court
            case _:
                return first_card.value


@dataclass(frozen=True, slots=True)
class CutCard:
    """The cut card, `depth` cards from the end of the shoe, and how many coups follow the one it came out in."""

    depth: int
    coups_after: int

    @property
    def needed(self) -> int:
        """The cards that must lie behind it at worst.

        Out after card 1 of a coup, it leaves 5 cards of that coup and 6 for each coup after. Out as the first card of
        a coup, it makes that coup of 6 the last (JP schedule 3).
        """
        return max(6, 5 + 6 * self.coups_after)

    def enough(self) -> bool:
        """Whether the last coup can always be dealt from the cards behind the cut card."""
        return self.depth >= self.needed
