"""The table as its two wires and the dealer's hand tell it, worked out without the program's own conduct or record."""

from dataclasses import dataclass, field
from typing import Any

from controller.game.cards import parse_card
from controller.game.coup import Coup

STAKE = 10000
BETS = ("player", "banker")
"""Seat 1 bets so much on each, in this order."""


@dataclass(slots=True)
class Model:
    """`deck` top first; `drawn` cards left the shoe; the rest counts orders that were answered as done."""

    deck: list[str]
    drawn: int = 0
    began: bool = False
    bets: int = 0
    closed: bool = False
    confirmed: int = 0
    swept: int = 0
    """Cards of the coups that were confirmed."""
    answered: dict[str, int] = field(default_factory=dict)
    """Orders by their id, and the seq that their answer named."""

    def order_done(self, do: str, order_id: str, seq: int) -> None:
        """An order was answered."""
        self.answered[order_id] = seq
        match do:
            case "start-shoe":
                self.began = True
            case "bet":
                self.bets += 1
            case "close-bets":
                self.closed = True
            case "confirm":
                self.swept += _size(self.hands(self.drawn))
                self.confirmed += 1
                self.bets, self.closed = 0, False

    def hands(self, told: int) -> Coup:
        """What lies on the table when `told` cards of the shoe were told."""
        hands = Coup()
        for card in self.deck[self.swept : told]:
            hands = hands.dealt(parse_card(card))
        return hands

    def expected(self, told: int) -> dict[str, Any]:
        """What the table says of itself when nothing is on its way and `told` cards were told."""
        hands = self.hands(told)
        return {
            "phase": self._phase(hands),
            "shoe": int(self.began),
            "coup": self.confirmed + 1 if self.began else 0,
            "player": [str(card) for card in hands.player],
            "banker": [str(card) for card in hands.banker],
            "bets": [{"seat": 1, "wager": wager, "stake": STAKE} for wager in BETS[: self.bets]],
            "held": None,
        }

    def _phase(self, hands: Coup) -> str:
        place = hands.next_place
        if not self.began:
            return "no-shoe"
        if not self.closed:
            return "betting"
        if hands.complete:
            return "settling"
        if not hands.player:
            return "bets-closed"
        if place is None or not hands.has_four:
            return "dealing"
        return f"{place.hand.value}-rule"


def _size(hands: Coup) -> int:
    return len(hands.player) + len(hands.banker)


def house_net(hands: dict[str, Any]) -> int:
    """What the house won of both bets, by the winner and 5 % commission alone."""
    net = {"player": (-STAKE, STAKE), "banker": (STAKE, -STAKE * 19 // 20), "tie": (0, 0)}
    return sum(net[hands["winner"]])
