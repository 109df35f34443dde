"""Deals and settles one line of JSON after another: a shoe and bets in, the account of the coup out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from controller.game.account import account
from controller.game.cards import BadCard, Card, parse_card
from controller.game.coup import deal_coup
from controller.game.settlement import BadStake, Bet, NotPayable, UnknownWager
from controller.game.shoe import ForeignCard, Inventory, ShoeEmpty
from controller.game.wagers import Paytable
from controller.host.lines import RecordUnreadable, dumps, loads

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
    shoe, bets = _read(line)
    _check_inventory(shoe, decks)
    try:
        return account(paytable, bets, deal_coup(shoe))
    except ShoeEmpty as wrong:
        raise Refused("shoe-empty", str(wrong)) from None
    except BadStake as wrong:
        raise Refused("bad-stake", str(wrong)) from None
    except UnknownWager as wrong:
        raise Refused("unknown-wager", str(wrong)) from None
    except NotPayable as wrong:
        raise Refused("not-payable", str(wrong)) from None


def _read(line: bytes) -> tuple[list[Card], list[Bet]]:
    if len(line) > LONGEST_LINE:
        raise Refused("bad-line", f"the line is longer than {LONGEST_LINE} bytes")
    try:
        asked = loads(line)
    except RecordUnreadable as wrong:
        raise Refused("bad-line", str(wrong)) from None
    if not isinstance(asked, dict) or not isinstance(asked.get("shoe"), list):
        raise Refused("bad-line", 'a line is an object: {"shoe": ["TS", "7C", ...], "bets": [...]}')
    for name in asked:
        if name not in ("shoe", "bets"):
            raise Refused("bad-line", f"a line has shoe and bets, not {ascii(name)[:60]}")
    bets = asked.get("bets", [])
    if not isinstance(bets, list):
        raise Refused("bad-line", "bets is a list of objects with seat, wager and stake")
    return [_card(text) for text in asked["shoe"]], [_bet(bet) for bet in bets]


def _card(text: object) -> Card:
    if not isinstance(text, str):
        raise Refused("bad-card", f"{ascii(text)[:40]} is no card: write two characters, such as TH")
    try:
        return parse_card(text)
    except BadCard as wrong:
        raise Refused("bad-card", str(wrong)) from None


def _bet(bet: object) -> Bet:
    if not isinstance(bet, dict) or set(bet) != {"seat", "wager", "stake"}:
        raise Refused("bad-line", f"{ascii(bet)[:60]} is no bet: it has seat, wager and stake")
    seat, wager, stake = bet["seat"], bet["wager"], bet["stake"]
    if type(seat) is not int or seat < 1:
        raise Refused("bad-line", f"seat {ascii(seat)[:40]} is no whole number from 1")
    if not isinstance(wager, str):
        raise Refused("unknown-wager", f"wager {ascii(wager)[:40]} is no text")
    if type(stake) is not int:
        raise Refused("bad-stake", f"stake {ascii(stake)[:40]} is no whole number of minor units")
    return Bet(seat, wager, stake)


def _check_inventory(shoe: list[Card], decks: int) -> None:
    inventory = Inventory.full(decks)
    for card in shoe:
        try:
            inventory = inventory.without(card)
        except (ForeignCard, ShoeEmpty) as wrong:
            raise Refused("foreign-card", str(wrong)) from None
