"""What the simulated shoe knows of the game by itself: its cards, its burn and the drawing rules. Imports nothing."""

import random
from dataclasses import dataclass, field
from typing import Literal

Hand = Literal["player", "banker"]

RANKS = "A23456789TJQK"
SUITS = "DCSH"
MOST_BURN = 10
"""A burn card's index on this wire goes no further."""

BANKER_DRAWS_ON = {0: "0123456789", 1: "0123456789", 2: "0123456789", 3: "012345679", 4: "234567", 5: "4567", 6: "67"}
"""Banker's total -> the values of Player's third card on which Banker draws."""


def shuffled(decks: int, seed: int) -> list[str]:
    """The cards of `decks` decks, top first."""
    cards = [rank + suit for rank in RANKS for suit in SUITS] * decks
    random.Random(seed).shuffle(cards)
    return cards


def is_card(text: str) -> bool:
    """Two characters, upper case, T for ten: TH."""
    return len(text) == 2 and text[0] in RANKS and text[1] in SUITS


def neighbour(card: str) -> str:
    """Another card: the next rank of the same suit."""
    return RANKS[(RANKS.index(card[0]) + 1) % len(RANKS)] + card[1]


def value(card: str) -> int:
    """Ace 1, ten and court 0, the rest as printed."""
    return (RANKS.index(card[0]) + 1) % 10 if card[0] not in "TJQK" else 0


@dataclass(frozen=True, slots=True)
class BurnRule:
    """`by` none; first-card: as many as the first card says (`ace`, `court` for ten and court); fixed: `cards`."""

    by: Literal["none", "first-card", "fixed"] = "first-card"
    cards: int = 0
    ace: int = 1
    court: int = 10

    def __post_init__(self) -> None:
        if self.by == "fixed" and not 1 <= self.cards <= MOST_BURN:
            raise ValueError(f"a burn of {self.cards} cards cannot be reported on this wire; it takes 1 to {MOST_BURN}")
        for name, cards in (("ace", self.ace), ("court", self.court)):
            if not 1 <= cards <= MOST_BURN:
                raise ValueError(f"{name} {cards}: a burn on this wire has 1 to {MOST_BURN} cards")


@dataclass(slots=True)
class OwnBurn:
    """How far the burn of one shoe is."""

    rule: BurnRule
    due: int | None = None
    burned: int = 0

    def __post_init__(self) -> None:
        self.due = None if self.rule.by == "first-card" else self.rule.cards

    def is_done(self) -> bool:
        """Nothing is left to burn."""
        return self.due is not None and self.burned >= self.due

    def take(self, card: str) -> tuple[Literal["first", "burn"], int]:
        """The target and index of the next card of the burn."""
        if self.due is None:
            self.due = {"A": self.rule.ace, **dict.fromkeys("TJQK", self.rule.court)}.get(card[0], value(card))
            return "first", 1
        self.burned += 1
        return "burn", self.burned


@dataclass(slots=True)
class OwnCoup:
    """Both hands as the shoe believes them."""

    player: list[str] = field(default_factory=list)
    banker: list[str] = field(default_factory=list)

    def is_on(self) -> bool:
        """Begun and not complete."""
        return bool(self.player) and self.next_place() is not None

    def next_place(self) -> tuple[Hand, int] | None:
        """Whose card is next, and its index from 1; None when the coup is complete."""
        dealt = len(self.player) + len(self.banker)
        if dealt < 4:
            return "banker" if dealt % 2 else "player", dealt // 2 + 1
        if dealt == 4 and max(_total(self.player), _total(self.banker)) >= 8:
            return None
        if dealt == 4 and _total(self.player) <= 5:
            return "player", 3
        return ("banker", 3) if len(self.banker) == 2 and self._banker_draws() else None

    def take(self, card: str) -> tuple[Hand, int]:
        """Lay `card` to its place."""
        place = self.next_place()
        assert place is not None
        (self.player if place[0] == "player" else self.banker).append(card)
        return place

    def outcome(self) -> Literal["player", "banker", "tie"]:
        """Of a complete coup."""
        difference = _total(self.player) - _total(self.banker)
        return "tie" if difference == 0 else "player" if difference > 0 else "banker"

    def pairs(self) -> Literal["none", "player", "banker", "both"]:
        """Whose first two cards have one rank."""
        player, banker = (hand[0][0] == hand[1][0] for hand in (self.player, self.banker))
        return "both" if player and banker else "player" if player else "banker" if banker else "none"

    def _banker_draws(self) -> bool:
        total = _total(self.banker)
        if len(self.player) == 2:
            return total <= 5
        return str(value(self.player[2])) in BANKER_DRAWS_ON.get(total, "")


def _total(hand: list[str]) -> int:
    return sum(value(card) for card in hand) % 10
