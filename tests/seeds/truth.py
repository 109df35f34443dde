"""What really happens at the table: which card left the shoe when, and which coup of which cards lies there."""

from controller.game.coup import Coup
from drivers.shoes.simulated_cards import OwnCoup, shuffled

UNHEARD = 3
"""So many whole coups a dealer may deal on while the program is down or its disk is full."""


class Truth:
    """The cards as anyone can see them, whatever the shoe reports of them."""

    def __init__(self, decks: int, seed: int) -> None:
        self._decks = decks
        self._seed = seed
        self.shoes = 0
        self.out: list[str] = []
        """Every card that left a shoe, in order."""
        self.coups: list[list[str]] = []
        """Every coup as it was laid, also those that were swept away."""
        self.laid: list[str] = []
        self.before: list[list[str]] = []
        """The last complete coups that lay there before the dealer went on, with no sweeping in between."""
        self.reports: list[bytes] = []
        """Every report as it left the shoe, once, in order."""
        self._by_person = False
        self.is_murky = False
        """The table was cleared while a report was on its way: nobody can say whose the card is."""
        self.erred = 0
        """How often that was."""
        self._left: list[str] = []
        self._own = OwnCoup()
        self.new_shoe()

    def new_shoe(self) -> None:
        """Another shoe is put in place."""
        self._left = list(reversed(shuffled(self._decks, self._seed + self.shoes)))
        self.shoes += 1
        self.sweep()

    def cards_in(self) -> list[str]:
        """The cards of the first shoe, top first."""
        return list(reversed(self._left))

    def take(self, number: int) -> list[str]:
        """So many cards left the shoe."""
        taken = [self._left.pop() for _ in range(number)]
        self.out += taken
        return taken

    def lay(self, card: str) -> None:
        """The dealer lays a card: to the coup that is on, or as the first of the next."""
        if not self.laid or self.is_complete():
            self.before = [*self.before, self.laid][-UNHEARD:] if self.laid else []
            self.laid, self._own = [], OwnCoup()
            self.coups.append(self.laid)
        self._own.take(card)
        self.laid.append(card)

    def excuse(self) -> None:
        """A person's order is to answer for what the table takes for its coup now."""
        self.erred += not self._by_person
        self._by_person = True

    @property
    def is_excused(self) -> bool:
        """Whether a person went on with something that is not so: the coup is that person's."""
        return self._by_person or self.is_murky

    def calm(self) -> None:
        """No card is on the table any more: a new coup begins with a clean sheet."""
        self._by_person = False

    def is_complete(self) -> bool:
        """Whether the coup on the table has all its cards."""
        return bool(self.laid) and self._own.next_place() is None

    def is_begun(self) -> bool:
        """Whether a coup lies there that has not all its cards."""
        return bool(self.laid) and not self.is_complete()

    def sweep(self) -> None:
        """The table is cleared."""
        self.laid, self.before, self._own = [], [], OwnCoup()

    def bears(self, hands: Coup) -> bool:
        """Whether these hands lie on the table: all of them or, while a report is on its way, the first of them."""
        cards = in_order(hands)
        return any(cards == coup[: len(cards)] for coup in (self.laid, *self.before))

    def is_all(self, hands: Coup) -> bool:
        """Whether these hands are all that lies on the table."""
        return in_order(hands) in (self.laid, *self.before)


def in_order(hands: Coup) -> list[str]:
    """The cards of a coup in the order they came."""
    cards = [card for pair in zip(hands.player[:2], hands.banker[:2], strict=False) for card in pair]
    cards += hands.player[len(hands.banker[:2]) : 2]
    return [str(card) for card in (*cards, *hands.player[2:], *hands.banker[2:])]
