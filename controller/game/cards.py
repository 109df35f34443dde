"""Cards: rank, suit, point value, and "TH" to a card and back. A deck is the 52 cards without jokers."""

from dataclasses import dataclass, field
from enum import Enum


class BadCard(ValueError):
    """A text that names no card."""


class Suit(Enum):
    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"


class Rank(Enum):
    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


_RANKS = tuple(Rank)
_SUITS = tuple(Suit)


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """One of the 52 cards, as printed. There is one object for each, made here: `DECK` and `parse_card` hand them out.

    `value` is what the card counts: ace 1, 2 to 9 as printed, ten and court cards 0. `number` is its place in `DECK`.
    Two cards are equal when they are the same object; copies and pickles come back as that object.
    """

    rank: Rank
    suit: Suit
    value: int = field(init=False)
    number: int = field(init=False)
    text: str = field(init=False)

    def __post_init__(self) -> None:
        place = _RANKS.index(self.rank)
        object.__setattr__(self, "value", place + 1 if place < 9 else 0)
        object.__setattr__(self, "number", _SUITS.index(self.suit) * len(_RANKS) + place)
        object.__setattr__(self, "text", self.rank.value + self.suit.value)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.text}>"

    def __reduce__(self) -> "tuple[object, tuple[str]]":
        return parse_card, (self.text,)


DECK: tuple[Card, ...] = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
"""The 52 cards, clubs, diamonds, hearts, spades, each from ace to king: `DECK[card.number] is card`."""

_BY_TEXT = {card.text: card for card in DECK}


def parse_card(text: str) -> Card:
    """The card that two characters name: rank A 2-9 T J Q K, suit C D H S, upper case. Raises BadCard for all else."""
    card = _BY_TEXT.get(text) if isinstance(text, str) else None
    if card is None:
        raise BadCard(f"{ascii(text)[:40]} is no card: write rank and suit in upper case, as in AS, 7C or TH")
    return card
