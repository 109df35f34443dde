"""What left the shoe is counted: more of a card, or more cards, than the shoe can have held holds the table."""

from controller.game.cards import Card
from controller.game.shoe import ForeignCard, ShoeEmpty
from controller.table.events import CardSetAside, HoldReason
from controller.table.holds import hold
from controller.table.inputs import Input
from controller.table.moment import Moment


def taken(moment: Moment, card: Card | None, cause: Input) -> bool:
    """Take a card out of the inventory; the table is held, and False, when the shoe cannot have held it.

    Once every card is out, whichever comes is one more of its kind too: that the shoe was empty says what happened.
    """
    inventory = moment.state.inventory
    assert inventory is not None
    try:
        moment.set(inventory=inventory.without(card))
    except (ForeignCard, ShoeEmpty) as wrong:
        if inventory.cards_left == 0:
            hold(moment, HoldReason.SHOE_EMPTY, f"{card or 'a card'} came and every card of the shoe was out", cause)
        else:
            hold(moment, HoldReason.FOREIGN_CARD, str(wrong), cause)
        return False
    return True


def count_out(moment: Moment, card: Card | None) -> None:
    """A card that is out and of no coup leaves the inventory; one that the shoe cannot have held is only named."""
    assert moment.state.inventory is not None
    try:
        moment.set(inventory=moment.state.inventory.without(card))
    except (ForeignCard, ShoeEmpty) as wrong:
        moment.say(CardSetAside(card, str(wrong)))


def set_aside(moment: Moment, card: Card | None, why: str) -> None:
    """A card is out of the shoe and plays in no coup."""
    moment.say(CardSetAside(card, why))
    count_out(moment, card)
