"""`punto ctl`: words of the command line to orders on the control socket, answers to lines a person reads."""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from controller.host.client import Client, PathRefused, TableNotThere, default_control_path

DONE, REFUSED, NOT_THERE = 0, 1, 2

PLAIN = {
    "state": "print the table's state",
    "open-bets": "open the bets again (no card is out)",
    "close-bets": "no more bets",
    "confirm": "the settlement is done; the next coup's bets open",
    "reveal": "show the public the cards on the table (reveal: dealer)",
    "start-shoe": "a new shoe is in place (refused while a seat owes commission: collect it)",
    "end-shoe": "end this shoe",
    "resume": "end a hold",
    "void": "the coup does not count; stakes go back",
    "ledger": "print the commission that each seat owes",
}

Orders = argparse._SubParsersAction


def add_orders(orders: "Orders[argparse.ArgumentParser]") -> None:
    """The verbs of `punto ctl`."""
    for name, does in PLAIN.items():
        orders.add_parser(name, help=does, description=does)
    events = orders.add_parser("events", help="print each event as it is committed, one JSON object a line")
    events.add_argument("--after", default="0", metavar="SEQ", help="begin after this event (default: from the first)")
    bet = orders.add_parser("bet", help="put a stake (whole minor units) of a seat on a wager")
    _positionals(bet, "seat", "wager", "stake")
    withdraw = orders.add_parser("withdraw", help="take a seat's stakes back, from one wager or from all")
    _positionals(withdraw, "seat")
    withdraw.add_argument("wager", nargs="?", metavar="WAGER")
    _positionals(
        orders.add_parser(
            "collect", help="a seat pays the commission it owes: before it leaves, and before the next shoe starts"
        ),
        "seat",
    )
    card = orders.add_parser("card", help="enter a card that is due and could not be read, or was lost (while held)")
    _positionals(card, "place", "card")
    card.add_argument("--reason", required=True, metavar="TEXT")
    accept = orders.add_parser(
        "accept-change", help="answer for a program or a configuration that changed since the last accepted start"
    )
    accept.add_argument("--name", required=True, metavar="NAME", help="who accepts it")
    accept.add_argument("--reason", required=True, metavar="TEXT")
    for order in orders.choices.values():
        _common(order)


def _common(order: argparse.ArgumentParser) -> None:
    """What stands before the verb may also stand after it."""
    order.add_argument("--table", metavar="ID", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    order.add_argument("--control", type=Path, metavar="PATH", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    order.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    order.add_argument("--id", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def _positionals(parser: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        parser.add_argument(name, metavar=name.upper())


def carry_out(options: argparse.Namespace) -> int:
    """Ask the table; print its answer. Returns the exit code."""
    try:
        path = _control_path(options)
        with Client(path) as client:
            if options.order == "events":
                return _follow(client, options.after)
            answer = client.ask(options.order, options.id, **_fields(options))
    except (TableNotThere, PathRefused) as why:
        print(str(why), file=sys.stderr)
        return NOT_THERE
    if options.json:
        print(json.dumps(answer))
    elif answer["ok"]:
        print("\n".join(_lines(options.order, answer)))
    if answer["ok"]:
        return DONE
    print(f"refused {answer.get('refused')}: {answer.get('text')}", file=sys.stderr)
    return REFUSED


def _control_path(options: argparse.Namespace) -> Path:
    if options.control is not None:
        return Path(options.control)
    if options.table is None:
        raise TableNotThere("which table? say --table ID or --control PATH")
    return default_control_path(options.table)


def _follow(client: Client, after: str) -> int:
    if not re.fullmatch(r"[0-9]{1,19}", after, re.ASCII):
        print(f"--after {ascii(after)[:40]}: a whole number from 0 is needed", file=sys.stderr)
        return NOT_THERE
    try:
        for event in client.events(int(after)):
            print(json.dumps(event), flush=True)
    except ValueError as refused:
        print(str(refused), file=sys.stderr)
    return REFUSED


def _fields(options: argparse.Namespace) -> dict[str, Any]:
    """The order's fields. A number that is none goes as the text it is: the table says what is wrong with it."""
    names = ("seat", "wager", "stake", "place", "card", "name", "reason")
    given = {name: getattr(options, name) for name in names if getattr(options, name, None) is not None}
    return {name: _number(value) if name in ("seat", "stake") else value for name, value in given.items()}


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?(?:0|[1-9][0-9]{0,39})", text, re.ASCII) else text


def _lines(order: str, answer: dict[str, Any]) -> list[str]:
    match order:
        case "state":
            return _state_lines(answer)
        case "ledger":
            return [*(f"seat {seat}: {owed}" for seat, owed in answer["seats"].items()), f"total: {answer['total']}"]
        case _:
            held = answer.get("held")
            tail = [f"held {held['reason']}: {held['text']}"] if held else []
            return [f"done: {order}; {answer['phase']}, shoe {answer['shoe']}, coup {answer['coup']}", *tail]


def _state_lines(state: dict[str, Any]) -> list[str]:
    """What a person at the table wants to know first."""
    simulated = "  SIMULATION" if state["simulated"] else ""
    lines = [f"table {state['table']}: {state['phase']}, shoe {state['shoe']}, coup {state['coup']}{simulated}"]
    for hand in ("player", "banker"):
        total = state[f"{hand}_total"]
        lines.append(f"{hand}: {' '.join(state[hand]) or '-'}{'' if total is None else f' = {total}'}")
    lines.append(f"next: {state['due'] or '-'}")
    burn = state["burn"]
    if state["phase"] == "burning" and burn["due"] is not None:
        lines.append(f"burn: {burn['out']} of {burn['due']} cards out")
    if state["held"]:
        held = state["held"]
        lines.append(f"held {held['reason']} ({held['waiting']} reports wait): {held['text']}")
    lines += [f"bet: seat {bet['seat']} {bet['wager']} {bet['stake']}" for bet in state["bets"]]
    if state["initial_deal"]:
        lines += [
            f"paid after four cards: seat {line['seat']} {line['wager']} {line['result']}, returned {line['returned']}"
            for line in state["initial_deal"]["lines"]
        ]
    lines += [_owed_line(seat, amount) for seat, amount in state["owed"].items()]
    last = state["last"]
    if last:
        lines.append(
            f"last: {last['winner']} {last['player_total']}-{last['banker_total']}, house {last['house_net']:+}"
        )
    lines.append(f"links: shoe {state['links']['shoe']}, display {state['links']['display']}; seq {state['seq']}")
    return lines


def _owed_line(seat: str, amount: int) -> str:
    """Rounding in the players' favour can turn it round."""
    return f"owes commission: seat {seat} {amount}" if amount > 0 else f"is owed by the house: seat {seat} {-amount}"
