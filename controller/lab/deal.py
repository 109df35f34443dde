"""Deals and settles one line of JSON after another: a shoe and bets in, the account of the coup out.

What is wrong with a line is looked for in one order, so that one reason is told where several hold: bad-line,
bad-card, foreign-card, shoe-empty; then bet by bet bad-stake, unknown-wager, not-payable. A line is bad when it is no
JSON or has another shape; a number that is not whole, or too long to be an amount, is JSON, and wrong where it stands.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from controller.game.account import account
from controller.game.cards import BadCard, Card, parse_card
from controller.game.coup import deal_coup
from controller.game.settlement import BadStake, Bet, NotPayable, UnknownWager
from controller.game.shoe import ForeignCard, Inventory, ShoeEmpty
from controller.game.wagers import Paytable
from controller.host.lines import dumps

LONGEST_LINE = 1024 * 1024


class Refused(Exception):
    """A line that cannot be dealt or settled: the id of why, and one line of text."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


@dataclass(frozen=True, slots=True)
class Dealt:
    """One line of the answer, and whether it is a refusal."""

    text: str
    refused: bool


def deal_lines(paytable: Paytable, decks: int, lines: Iterable[bytes]) -> Iterator[Dealt]:
    """An answer for each line that is not empty, in order; each line is a shoe of its own."""
    for line in lines:
        if line.strip():
            yield _dealt(paytable, decks, line)


def _dealt(paytable: Paytable, decks: int, line: bytes) -> Dealt:
    try:
        return Dealt(dumps(_account(paytable, decks, line)), refused=False)
    except Refused as refusal:
        return Dealt(dumps({"refused": refusal.reason, "text": refusal.text}), refused=True)


def _account(paytable: Paytable, decks: int, line: bytes) -> dict[str, object]:
    cards, bets = _read(line)
    shoe = [_card(text) for text in cards]
    _check_inventory(shoe, decks)
    try:
        return account(paytable, map(_bet, bets), deal_coup(shoe))
    except ShoeEmpty as wrong:
        raise Refused("shoe-empty", str(wrong)) from None
    except BadStake as wrong:
        raise Refused("bad-stake", str(wrong)) from None
    except UnknownWager as wrong:
        raise Refused("unknown-wager", str(wrong)) from None
    except NotPayable as wrong:
        raise Refused("not-payable", str(wrong)) from None


def _read(line: bytes) -> tuple[list[object], list[dict[str, object]]]:
    """The shoe and the bets of a line of the right shape, each bet with a sound seat; cards and the rest unread."""
    asked = _plain(line)
    if not isinstance(asked, dict) or not isinstance(asked.get("shoe"), list):
        raise Refused("bad-line", 'a line is an object: {"shoe": ["TS", "7C", ...], "bets": [...]}')
    for name in asked:
        if name not in ("shoe", "bets"):
            raise Refused("bad-line", f"a line has shoe and bets, not {_shown(name)}")
    bets = asked.get("bets", [])
    if not isinstance(bets, list):
        raise Refused("bad-line", "bets is a list of objects with seat, wager and stake")
    for bet in bets:
        if not isinstance(bet, dict) or set(bet) != {"seat", "wager", "stake"}:
            raise Refused("bad-line", f"{_shown(bet)} is no bet: it has seat, wager and stake")
        if type(bet["seat"]) is not int or bet["seat"] < 1:
            raise Refused("bad-line", f"seat {_shown(bet['seat'])} is no whole number from 1")
    return asked["shoe"], bets


def _plain(line: bytes) -> object:
    if len(line) > LONGEST_LINE:
        raise Refused("bad-line", f"the line is longer than {LONGEST_LINE} bytes")
    try:
        return _JSON.decode(line.strip().decode("utf-8"))
    except RecursionError:
        raise Refused("bad-line", "nested too deeply") from None
    except ValueError as error:
        raise Refused("bad-line", f"no JSON: {ascii(str(error))[1:-1][:120]}") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Refused("bad-line", f"the key {_shown(twice)} stands twice")
    return plain


def _whole(text: str) -> object:
    return int(text) if len(text) <= _LONGEST_NUMBER else text


def _no_number(text: str) -> object:
    raise Refused("bad-line", f"no JSON: {text} is no number")


_LONGEST_NUMBER = 1000
# Numbers that are not whole stay texts: no amount, no seat and no card is one.
_JSON = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole, parse_float=str, parse_constant=_no_number)


def _card(text: object) -> Card:
    if not isinstance(text, str):
        raise Refused("bad-card", f"{_shown(text)} is no card: write two characters, such as TH")
    try:
        return parse_card(text)
    except BadCard as wrong:
        raise Refused("bad-card", str(wrong)) from None


def _bet(bet: dict[str, object]) -> Bet:
    seat, wager, stake = bet["seat"], bet["wager"], bet["stake"]
    assert isinstance(seat, int), "the line's shape is checked"
    if type(stake) is not int:
        raise Refused("bad-stake", f"stake {_shown(stake)} is no whole number of minor units")
    if not isinstance(wager, str):
        raise Refused("unknown-wager", f"wager {_shown(wager)} is no text")
    return Bet(seat, wager, stake)


def _shown(value: object) -> str:
    """A value as JSON writes it, cut; what is inside a list or an object is left out."""
    match value:
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return dumps(value)[:60]


def _check_inventory(shoe: list[Card], decks: int) -> None:
    inventory = Inventory.full(decks)
    for card in shoe:
        try:
            inventory = inventory.without(card)
        except (ForeignCard, ShoeEmpty) as wrong:
            raise Refused("foreign-card", str(wrong)) from None
