"""The script of a misbehaving shoe: which card goes wrong and how. One JSON object a line."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from drivers.escape import escaped


class Wrong(Enum):
    """What can go wrong with a card."""

    UNREADABLE = "unreadable"
    OVERDRAW = "overdraw"
    DROP_COPIES = "drop-copies"
    DAMAGE_COPIES = "damage-copies"
    DROP_REPORT = "drop-report"
    SWAP_NEXT = "swap-next"
    WRONG_TARGET = "wrong-target"
    OTHER_CARD = "other-card"
    POWER = "power"
    UNPLUG = "unplug"
    WRONG_RESULT = "wrong-result"


WITH_NUMBER = {Wrong.DROP_COPIES, Wrong.DAMAGE_COPIES, Wrong.UNPLUG}
MOST_NUMBER = 600_000


@dataclass(frozen=True, slots=True)
class Fault:
    """Goes wrong once, with card `card`: counted from 1 over all cards drawn, burn included, shoe after shoe.

    `number`: how many copies, or how long unplugged in ms; 0 for what takes none.
    """

    card: int
    do: Wrong
    number: int = 0


def faults_from(lines: Iterable[str]) -> list[Fault]:
    """One fault a line: {"card": 14, "do": "drop-copies 2"}. Empty lines are skipped. Raises ValueError (line, why)."""
    faults: dict[int, Fault] = {}
    for at, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            fault = _fault(line)
            if fault.card in faults:
                raise ValueError(f"card {fault.card} has a fault already; one a card")
        except ValueError as error:
            raise ValueError(f"line {at}: {error}") from None
        faults[fault.card] = fault
    return list(faults.values())


def _fault(line: str) -> Fault:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or set(row) != {"card", "do"} or not isinstance(row["do"], str):
        raise ValueError(f'{escaped(line.strip(), 60)}: write {{"card": 14, "do": "unreadable"}}')
    card = row["card"]
    if not isinstance(card, int) or isinstance(card, bool) or card < 1:
        raise ValueError("card: a whole number from 1, counted from the top of the first shoe, burn included")
    name, _, number = row["do"].partition(" ")
    if name not in {wrong.value for wrong in Wrong}:
        raise ValueError(f"do: {escaped(name, 40)} is not one of {', '.join(wrong.value for wrong in Wrong)}")
    do = Wrong(name)
    if do not in WITH_NUMBER:
        if number:
            raise ValueError(f"do: {name} takes no number")
        return Fault(card, do)
    if not (number.isascii() and number.isdigit()) or not 1 <= int(number[:9]) <= MOST_NUMBER:
        raise ValueError(f"do: {name} needs a number from 1 to {MOST_NUMBER}: {name} 2")
    return Fault(card, do, int(number))
