"""Orders as they come over the control socket: words and fields, checked, as inputs of the table."""

from collections.abc import Callable, Mapping

from controller.game.cards import BadCard, parse_card
from controller.game.coup import parse_place
from controller.game.settlement import LARGEST_STAKE
from controller.table import inputs
from controller.table.inputs import Order

LARGEST_NUMBER = 2**64
"""Whole numbers beyond this are refused before they reach the table (which refuses the rest by its own rules)."""
LONGEST_REASON = 200
LONGEST_NAME = 80


class BadOrder(Exception):
    """An order that cannot be understood: the refusal's id and one line."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


Fields = Mapping[str, object]

PLAIN: dict[str, Callable[[int], Order]] = {
    "open-bets": inputs.OpenBets,
    "close-bets": inputs.CloseBets,
    "confirm": inputs.Confirm,
    "reveal": inputs.RevealCards,
    "start-shoe": inputs.StartShoe,
    "end-shoe": inputs.EndShoe,
    "resume": inputs.Resume,
    "void": inputs.VoidCoup,
}
"""Orders that are one word."""

QUESTIONS = ("state", "ledger")
"""What is only asked."""


def order_of(do: str, fields: Fields, at_ms: int) -> Order:
    """The order that a word and its fields mean. Raises BadOrder."""
    if do in PLAIN:
        only(do, fields, ())
        return PLAIN[do](at_ms)
    if do in WITH_FIELDS:
        return WITH_FIELDS[do](fields, at_ms)
    known = ", ".join((*PLAIN, *WITH_FIELDS, *QUESTIONS, "events"))
    raise BadOrder("unknown-order", f"{ascii(do)[:60]} is no order: there are {known}")


def _bet(fields: Fields, at_ms: int) -> Order:
    only("bet", fields, ("seat", "wager", "stake"))
    seat = _whole(fields.get("seat"), "unknown-seat", "seat")
    wager = _text(fields.get("wager"), "unknown-wager", "wager", 64)
    return inputs.PlaceBet(at_ms, seat, wager, _whole(fields.get("stake"), "bad-stake", "stake"))


def _withdraw(fields: Fields, at_ms: int) -> Order:
    only("withdraw", fields, ("seat", "wager"))
    seat = _whole(fields.get("seat"), "unknown-seat", "seat")
    wager = fields.get("wager")
    return inputs.WithdrawBets(at_ms, seat, "" if wager is None else _text(wager, "unknown-wager", "wager", 64))


def _collect(fields: Fields, at_ms: int) -> Order:
    only("collect", fields, ("seat",))
    return inputs.CollectCommission(at_ms, _whole(fields.get("seat"), "unknown-seat", "seat"))


def _card(fields: Fields, at_ms: int) -> Order:
    only("card", fields, ("place", "card", "reason"))
    try:
        place = parse_place(_text(fields.get("place"), "bad-place", "place", 20))
    except ValueError as wrong:
        raise BadOrder("bad-place", str(wrong)) from None
    try:
        card = parse_card(_text(fields.get("card"), "bad-card", "card", 20))
    except BadCard as wrong:
        raise BadOrder("bad-card", str(wrong)) from None
    return inputs.EnterCard(at_ms, place, card, _text(fields.get("reason"), "no-reason", "reason", LONGEST_REASON))


def _accept_change(fields: Fields, at_ms: int) -> Order:
    only("accept-change", fields, ("name", "reason"))
    name = _text(fields.get("name"), "no-name", "name", LONGEST_NAME)
    return inputs.AcceptChange(at_ms, name, _text(fields.get("reason"), "no-reason", "reason", LONGEST_REASON))


WITH_FIELDS: dict[str, Callable[[Fields, int], Order]] = {
    "bet": _bet,
    "withdraw": _withdraw,
    "collect": _collect,
    "card": _card,
    "accept-change": _accept_change,
}
"""Orders that need more than their word."""


def only(do: str, fields: Fields, known: tuple[str, ...]) -> None:
    """Refuse fields that are not known. Raises BadOrder."""
    for name in fields:
        if name not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no fields"
            raise BadOrder("bad-request", f"{do} {takes}, not {ascii(name)[:60]}")


def _whole(value: object, reason: str, name: str) -> int:
    if type(value) is not int or not -LARGEST_NUMBER < value < LARGEST_NUMBER:
        form = f"plain digits, from 1 to {LARGEST_STAKE}" if name == "stake" else "plain digits"
        raise BadOrder(reason, f"{name} {ascii(value)[:40]} is no whole number that can be used: write {form}")
    return value


def _text(value: object, reason: str, name: str, longest: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > longest or not value.isprintable():
        raise BadOrder(reason, f"{name} must be a text of 1 to {longest} printable characters")
    return value
