"""Recorded inputs and events in plain words, decisions with the clause of the drawing rule they follow."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from controller.game import tableau

Plain = Mapping[str, Any]


def told(plain: object, tag: str) -> str:
    """One input or event, as its JSON says it: a sentence, a settlement one line a bet."""
    if not isinstance(plain, dict):
        return ascii(plain)[:200]
    kind = plain.get(tag)
    words = _WORDS.get(str(kind))
    if words is not None:
        return words(plain)
    rest = ", ".join(f"{key} {_short(value)}" for key, value in plain.items() if key not in (tag, "at_ms"))
    return f"{kind} {rest}".rstrip()


def _short(value: object) -> str:
    text = value if isinstance(value, str) else ascii(value)
    return text if text.isprintable() and len(text) <= 200 else ascii(text)[:200]


def _card_read(plain: Plain) -> str:
    card = plain["card"] or "a card it could not read"
    return f"the shoe reads {card} for {plain['target']} {plain['index']}"


def _card_dealt(plain: Plain) -> str:
    how = f", entered by hand: {_short(plain['reason'])}" if plain["declared"] else ""
    player, banker = (_total(plain[each]) for each in ("player_total", "banker_total"))
    return f"{plain['card']} is {plain['place']}{how}; Player {player}, Banker {banker}"


def _total(total: object) -> str:
    return "-" if total is None else str(total)


def _naturals(plain: Plain) -> str:
    who = {"none": "no natural", "both": "both hands have a natural"}.get(plain["natural"])
    totals = f"Player {plain['player_two']}, Banker {plain['banker_two']} with two cards"
    ends = "no hand draws" if who is None or plain["natural"] == "both" else "the drawing rule decides"
    return f"{who or plain['natural'].capitalize() + ' has a natural'}: {totals}: {ends} (8 or 9 with two cards)"


def _player(plain: Plain) -> str:
    does = "draws" if plain["event"] == "PlayerDrew" else "stands"
    return f"Player {does} on {plain['player_two']} (rule: {player_clause(plain['player_two'])})"


def _banker(plain: Plain) -> str:
    does = "draws" if plain["event"] == "BankerDrew" else "stands"
    two, third = plain["banker_two"], plain["player_third"]
    against = "Player stood" if third is None else f"Player's third counts {third}"
    return f"Banker {does} on {two}, {against} (rule: {banker_clause(two, third)})"


def player_clause(two: int) -> str:
    """The row of the drawing rule that decides for Player with this two-card total."""
    rows = tableau.printed().split("\n\n")[0].splitlines()
    return _row(rows, two)


def banker_clause(two: int, third: int | None) -> str:
    """The row that decides for Banker: with what Player's third card counts, None when Player stood."""
    blocks = tableau.printed().split("\n\n")
    return _row(blocks[1 if third is None else 2].splitlines(), two)


def _row(lines: list[str], total: int) -> str:
    """The row whose first column holds this total, each other column after its heading."""
    heading, *rows = (re.split("  +", line.strip()) for line in lines)
    row = next(row for row in rows if str(total) in row[0].split())
    if len(row) == 2:
        return f"{heading[0]} {row[0]}, {heading[1]}: {row[1]}"
    return f"{heading[0]} {row[0]}: {heading[1]} {row[1]}, {heading[2]} {row[2]}"


def _settled(plain: Plain) -> str:
    hands, money = plain["hands"], plain["settlement"]
    wins = ", ".join(f"{wager} {odds}" for wager, odds in plain["wins"]) or "none"
    pushes = ", ".join(plain["pushes"]) or "none"
    lines = [
        f"coup {plain['coup']} is settled: Player {' '.join(hands['player'])}, Banker {' '.join(hands['banker'])};"
        f" wins {wins}; pushes {pushes}",
        *(_line(line) for line in money["lines"]),
        f"staked {money['staked']}, returned {money['returned']}, commission {money['commission']},"
        f" the house keeps {money['staked'] - money['returned']}",
    ]
    return "\n".join(lines)


def _initial_deal(plain: Plain) -> str:
    hands, money = plain["hands"], plain["settlement"]
    lines = [
        f"the initial deal of coup {plain['coup']} is settled: Player {' '.join(hands['player'])},"
        f" Banker {' '.join(hands['banker'])}; paid now, and counted once, in the coup's settlement",
        *(_line(line) for line in money["lines"]),
    ]
    return "\n".join(lines)


def _initial_deal_undone(plain: Plain) -> str:
    lines = [
        f"the settlement of the initial deal of coup {plain['coup']} is undone both ways",
        *(f"  seat {line['seat']}, {_short(line['wager'])}: {_undone(line)}" for line in plain["settlement"]["lines"]),
    ]
    return "\n".join(lines)


def _undone(line: Plain) -> str:
    match line["result"]:
        case "win":
            return f"hands back {line['won']}"
        case "lose":
            return f"gets back the stake {line['stake']}"
        case _:
            return "nothing was paid"


def _voided(plain: Plain) -> str:
    hands = plain["hands"]
    cards = " ".join((*hands["player"], *hands["banker"]))
    return f"coup {plain['coup']} is void{f' (cards {cards})' if cards else ''}: stakes of {plain['returned']} go back"


def _line(line: Plain) -> str:
    odds = f" at {line['odds']}" if line["odds"] else ""
    taken = f", commission {line['commission']}" if line["commission"] else ""
    return (
        f"  seat {line['seat']}, {_short(line['wager'])}, stake {line['stake']}: {line['result']}{odds},"
        f" won {line['won']}{taken}, returned {line['returned']}"
    )


def _held(plain: Plain) -> str:
    return f"the table is held ({plain['reason']}): {_short(plain['text'])}"


def _refused(plain: Plain) -> str:
    return f"{plain['order']} is refused ({plain['reason']}): {_short(plain['text'])}"


def _bet(plain: Plain) -> str:
    return f"seat {plain['seat']} has {plain['total']} on {_short(plain['wager'])} ({plain['stake']} more)"


def _closed(plain: Plain) -> str:
    return f"bets of coup {plain['coup']} are closed by {plain['by']}; {plain['staked']} staked"


_WORDS: dict[str, Callable[[Plain], str]] = {
    "CardRead": _card_read,
    "CardDealt": _card_dealt,
    "NaturalsChecked": _naturals,
    "PlayerDrew": _player,
    "PlayerStood": _player,
    "BankerDrew": _banker,
    "BankerStood": _banker,
    "CoupSettled": _settled,
    "InitialDealSettled": _initial_deal,
    "InitialDealUndone": _initial_deal_undone,
    "CoupVoided": _voided,
    "TableHeld": _held,
    "InputRefused": _refused,
    "BetPlaced": _bet,
    "BetsClosed": _closed,
}
