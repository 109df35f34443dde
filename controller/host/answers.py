"""What a running table answers on its control socket: its state, and what became of an order."""

from collections.abc import Sequence

from controller.game.account import money_account, settled_account
from controller.game.coup import Coup
from controller.table.events import Event, InputRefused
from controller.table.holds import waiting_reports
from controller.table.initial_deal import initial_settlement
from controller.table.inputs import Order
from controller.table.state import SettledCoup, TableState

Answer = dict[str, object]


def refused(order_id: str, reason: str, text: str) -> Answer:
    """An order that was not carried out."""
    return {"id": order_id, "ok": False, "refused": reason, "text": text}


def order_answer(order_id: str, what: Order, state: TableState, events: Sequence[Event], seq: int) -> Answer:
    """What became of an order: `seq` is that of the last event it led to."""
    for event in events:
        if isinstance(event, InputRefused):
            return refused(order_id, event.reason.value, event.text)
    answer: Answer = {"id": order_id, "ok": True, "seq": seq, "phase": state.phase.value}
    answer |= {"shoe": state.shoe, "coup": state.coup, "held": held_answer(state, 0)}
    return answer


def held_answer(state: TableState, unrecorded: int) -> Answer | None:
    """Why the table is held; `unrecorded` reports wait for the disk beside those that the state knows of."""
    if state.hold is None:
        return None
    waiting = waiting_reports(state.hold) + unrecorded
    return {"reason": state.hold.reason.value, "text": state.hold.text, "waiting": waiting}


def state_answer(order_id: str, state: TableState, seq: int, unrecorded: int) -> Answer:
    """The whole state as a caller sees it; `seq` is that of the last event on disk."""
    due, hands = state.due, state.hands
    return {
        "id": order_id,
        "ok": True,
        "table": state.rules.table,
        "phase": state.phase.value,
        "shoe": state.shoe,
        "coup": state.coup,
        **_hands(hands),
        "declared": [str(place) for place in state.declared],
        "next": due.hand.value if due else None,
        "due": str(due) if due else None,
        "held": held_answer(state, unrecorded),
        "links": {"shoe": state.shoe_link.value, "display": state.display_link.value},
        "bets": [{"seat": bet.seat, "wager": bet.wager, "stake": bet.stake} for bet in state.bets],
        "initial_deal": _initial_deal(state),
        "burn": {"due": state.burn_due, "out": len(state.burned)},
        "owed": _owed(state),
        "last_coup": state.last_coup,
        "last": _account(state.result or state.last),
        "simulated": state.rules.simulation,
        "rules": state.rules.identity,
        "changes": [change.what for change in state.changes],
        "seq": seq,
    }


def _hands(hands: Coup) -> Answer:
    return {
        "player": [str(card) for card in hands.player],
        "banker": [str(card) for card in hands.banker],
        "player_total": hands.player_total,
        "banker_total": hands.banker_total,
    }


def _account(settled: SettledCoup | None) -> Answer | None:
    if settled is None:
        return None
    return settled_account(settled.hands, [wager for wager, _ in settled.wins], settled.pushes, settled.settlement)


def _initial_deal(state: TableState) -> Answer | None:
    """What was paid after four cards of the coup in play; None before, and when no such wager was bet."""
    settlement = initial_settlement(state)
    return None if settlement is None else money_account(settlement)


def _owed(state: TableState) -> dict[str, int]:
    return {str(seat): amount for seat, amount in state.owed}


def ledger_answer(order_id: str, state: TableState) -> Answer:
    """What each seat owes."""
    seats = _owed(state)
    return {"id": order_id, "ok": True, "seats": seats, "total": sum(seats.values())}
