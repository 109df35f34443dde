"""A coup: cards in dealing order become two hands, their totals, who draws next, and the outcome.

Cards go Player, Banker, Player, Banker; then Player's third before Banker's third. A natural (8 or 9 with two cards,
either hand) ends the coup; else the tableau says who draws. 4, 5 or 6 cards, never a fourth to a hand.
Source: JP schedule 1 part 1; FR 55-14.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import NamedTuple

from controller.game import tableau
from controller.game.cards import Card
from controller.game.shoe import ShoeEmpty


class Hand(Enum):
    PLAYER = "player"
    BANKER = "banker"


class Winner(Enum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class Natural(Enum):
    """Which hands hold 8 or 9 with their first two cards."""

    NONE = "none"
    PLAYER = "player"
    BANKER = "banker"
    BOTH = "both"


class Pair(Enum):
    """The first two cards of a hand: another rank; the same rank and another suit; the same rank and suit."""

    NONE = "none"
    MIXED = "mixed"
    PERFECT = "perfect"


@dataclass(frozen=True, slots=True)
class Place:
    """A card's place on the layout: the hand and the card's index in it, 1 to 3. Written "player-1"."""

    hand: Hand
    index: int

    def __str__(self) -> str:
        return f"{self.hand.value}-{self.index}"


PLAYER_THIRD = Place(Hand.PLAYER, 3)
BANKER_THIRD = Place(Hand.BANKER, 3)
FIRST_FOUR = (Place(Hand.PLAYER, 1), Place(Hand.BANKER, 1), Place(Hand.PLAYER, 2), Place(Hand.BANKER, 2))
PLACES = (*FIRST_FOUR, PLAYER_THIRD, BANKER_THIRD)

_PLACE_BY_TEXT = {str(place): place for place in PLACES}


def parse_place(text: str) -> Place:
    """The place that "player-1" to "banker-3" names. Raises ValueError for all else."""
    place = _PLACE_BY_TEXT.get(text)
    if place is None:
        raise ValueError(f"{ascii(text)[:40]} is no place: write one of {', '.join(_PLACE_BY_TEXT)}")
    return place


def _total(cards: tuple[Card, ...]) -> int:
    total = 0
    for card in cards:  # quicker than sum() over so few
        total += card.value
    return total % 10


def winner_by(player_total: int, banker_total: int) -> Winner:
    """Who wins by these final totals."""
    if player_total == banker_total:
        return Winner.TIE
    return Winner.PLAYER if player_total > banker_total else Winner.BANKER


class Coup(NamedTuple):
    """The cards of a coup so far, each hand in the order dealt. Start with `Coup()` and add cards with `dealt`."""

    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()

    def dealt(self, card: Card) -> "Coup":
        """The coup with this card in the next place. Raises ValueError when no card is due."""
        place = self.next_place
        if place is None:
            raise ValueError(f"no place for {card}: the coup is complete")
        return self._with(card, place)

    def _with(self, card: Card, place: Place) -> "Coup":
        if place.hand is Hand.PLAYER:
            return Coup((*self.player, card), self.banker)
        return Coup(self.player, (*self.banker, card))

    @property
    def next_place(self) -> Place | None:
        """Where the next card goes; None when the coup is complete."""
        dealt = len(self.player) + len(self.banker)
        if dealt < 4:
            return FIRST_FOUR[dealt]
        if len(self.banker) == 3:
            return None
        player, banker = self.player_two, self.banker_two
        if player >= 8 or banker >= 8:
            return None
        if len(self.player) == 2 and tableau.player_draws(player):
            return PLAYER_THIRD
        return BANKER_THIRD if tableau.banker_draws(banker, self.player_third_value) else None

    @property
    def complete(self) -> bool:
        return self.next_place is None

    @property
    def has_four(self) -> bool:
        """Whether both hands have their first two cards."""
        return len(self.banker) >= 2

    @property
    def player_total(self) -> int | None:
        """The last digit of what Player's cards count; None while there are none."""
        return _total(self.player) if self.player else None

    @property
    def banker_total(self) -> int | None:
        """The last digit of what Banker's cards count; None while there are none."""
        return _total(self.banker) if self.banker else None

    @property
    def player_two(self) -> int:
        """Player's total with two cards. Raises IndexError while there are fewer."""
        return (self.player[0].value + self.player[1].value) % 10

    @property
    def banker_two(self) -> int:
        """Banker's total with two cards."""
        return (self.banker[0].value + self.banker[1].value) % 10

    @property
    def natural(self) -> Natural:
        """Who holds a natural; a three-card 8 or 9 is none. The first four cards must be known."""
        player, banker = self.player_two >= 8, self.banker_two >= 8
        if player:
            return Natural.BOTH if banker else Natural.PLAYER
        return Natural.BANKER if banker else Natural.NONE

    @property
    def player_draws(self) -> bool:
        """Whether Player takes a third card (also once it has). The first four cards must be known."""
        player, banker = self.player_two, self.banker_two
        return player < 8 and banker < 8 and tableau.player_draws(player)

    @property
    def banker_draws(self) -> bool:
        """Whether Banker takes a third card (also once it has). Player's third must be known when Player draws."""
        player, banker = self.player_two, self.banker_two
        return player < 8 and banker < 8 and tableau.banker_draws(banker, self.player_third_value)

    @property
    def player_third_value(self) -> int | None:
        """What Player's third card counts; None when Player has none."""
        return self.player[2].value if len(self.player) == 3 else None

    @property
    def banker_third_value(self) -> int | None:
        """What Banker's third card counts; None when Banker has none."""
        return self.banker[2].value if len(self.banker) == 3 else None

    @property
    def winner(self) -> Winner:
        """The higher total wins, equal is a tie, whatever the number of cards. The coup must be complete."""
        assert self.next_place is None, f"{self} is not complete"
        return winner_by(_total(self.player), _total(self.banker))

    @property
    def player_pair(self) -> Pair:
        return _pair(self.player)

    @property
    def banker_pair(self) -> Pair:
        return _pair(self.banker)

    def __str__(self) -> str:
        return f"Player {_texts(self.player)} Banker {_texts(self.banker)}"


def _pair(cards: tuple[Card, ...]) -> Pair:
    if cards[0].rank is not cards[1].rank:
        return Pair.NONE
    return Pair.PERFECT if cards[0] is cards[1] else Pair.MIXED


def _texts(cards: tuple[Card, ...]) -> str:
    return " ".join(map(str, cards)) or "-"


_RAN_OUT = "the shoe ran out before the coup was complete"


def deal_coup(cards: Iterable[Card]) -> Coup:
    """Deal one whole coup from the top of `cards`; of an iterator exactly the cards used are taken.

    Raises ShoeEmpty when the cards run out first.
    """
    shoe = iter(cards)
    coup = _first_four(shoe)
    while (place := coup.next_place) is not None:
        coup = coup._with(_next_card(shoe), place)
    return coup


def _first_four(shoe: Iterator[Card]) -> Coup:
    first = tuple(islice(shoe, 4))
    if len(first) < 4:
        raise ShoeEmpty(_RAN_OUT)
    return Coup(first[::2], first[1::2])


def _next_card(shoe: Iterator[Card]) -> Card:
    card = next(shoe, None)
    if card is None:
        raise ShoeEmpty(_RAN_OUT)
    return card
