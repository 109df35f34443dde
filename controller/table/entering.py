"""A card that people declare, because the shoe could not read it or its report was lost."""

from dataclasses import replace

from controller.game.shoe import ForeignCard, ShoeEmpty
from controller.table import dealing
from controller.table.counting import count_out
from controller.table.events import (
    Refusal,
)
from controller.table.inputs import (
    EnterCard,
)
from controller.table.layout import may_close
from controller.table.machine import BETTING
from controller.table.moment import Moment
from controller.table.state import TableState


def enter_card(moment: Moment, order: EnterCard) -> None:
    """A supervisor declares the card that is due: it is dealt at once, and the table stays held."""
    held = moment.state.hold
    if held is None:
        moment.refuse("card", Refusal.NOT_HELD, "a card is entered only while the table is held")
        return
    refusal = _why_not_entered(moment.state, order)
    if refusal is not None:
        moment.refuse("card", *refusal)
        return
    if not _is_kept_card(moment.state, order):
        count_out(moment, order.card)
    assert moment.go("resume")
    dealing.place_card(moment, order.place, order.card, declared=True, reason=order.reason)
    at = moment.state.phase
    assert moment.go("hold")
    moment.set(hold=replace(held, at=at, entered=held.entered + 1), deadline_ms=None)


def _is_kept_card(state: TableState, order: EnterCard) -> bool:
    """Whether it is the overdrawn card, which is counted out already, that is declared for its place."""
    return order.place == dealing.PLAYER_FIRST and order.card == state.kept


def _why_not_entered(state: TableState, order: EnterCard) -> tuple[Refusal, str] | None:
    if order.place != state.due:
        wanted = "no card is due" if state.due is None else f"the card that is due is {state.due}"
        return Refusal.NOT_DUE, f"{order.place} cannot be entered: {wanted}"
    if state.conducted is BETTING and not may_close(state):
        return Refusal.NO_WAGERS, "nobody bet: this table deals no coup without a wager"
    if not order.reason.strip():
        return Refusal.NO_REASON, "say why the card is entered (--reason TEXT)"
    assert state.inventory is not None
    if _is_kept_card(state, order):
        return None
    try:
        state.inventory.without(order.card)
    except (ForeignCard, ShoeEmpty) as wrong:
        return Refusal.FOREIGN_CARD, f"{wrong}: check the card"
    return None
