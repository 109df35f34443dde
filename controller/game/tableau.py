"""The third-card rule, written as the printed table and read as a function.

The block of text below is the rule; nothing else in the program knows when a hand draws. It is read once, when this
module loads, and a block that is not a whole table stops the program there. Naturals (8 or 9 with two cards, either
hand: nobody draws) end a coup before the table is asked. Source: JP schedule 1 part 1; FR 55-14.
"""

import hashlib
import re
from typing import NamedTuple

TABLEAU = """\
Player has     Player
0 1 2 3 4 5    draws
6 7            stands

Banker has     when Player stood
0 1 2 3 4 5    draws
6 7            stands

Banker has   draws on Player's third     stands on
0 1 2        every value                 -
3            0 1 2 3 4 5 6 7 9           8
4            2 3 4 5 6 7                 0 1 8 9
5            4 5 6 7                     0 1 2 3 8 9
6            6 7                         0 1 2 3 4 5 8 9
7            -                           every value
"""

TWO_CARD_TOTALS = frozenset(range(8))
THIRD_VALUES = frozenset(range(10))

_PLAYER_HEADING = "Player has     Player"
_STOOD_HEADING = "Banker has     when Player stood"
_DREW_HEADING = "Banker has   draws on Player's third     stands on"


class Rule(NamedTuple):
    """The table as read: two-card totals, and for each of Banker's totals the values of Player's third card."""

    player_draws_on: frozenset[int]
    banker_draws_on_when_player_stood: frozenset[int]
    banker_draws_on_third: tuple[frozenset[int], ...]


def read_tableau(text: str) -> Rule:
    """The rule a printed table states. Raises AssertionError naming the line when it is not a whole, clear table."""
    blocks = [block.splitlines() for block in text.split("\n\n")]
    assert len(blocks) == 3, f"the tableau has three parts, not {len(blocks)}"
    player, stood, drew = blocks
    return Rule(_draw_or_stand(player, _PLAYER_HEADING), _draw_or_stand(stood, _STOOD_HEADING), _by_third(drew))


def _draw_or_stand(lines: list[str], heading: str) -> frozenset[int]:
    assert len(lines) == 3, f"tableau, under {heading!r}: one row that draws and one that stands"
    assert lines[0] == heading, f"tableau: {lines[0]!r} should read {heading!r}"
    draws, stands = (_columns(line, heading) for line in lines[1:])
    assert draws[1] == "draws", f"tableau: {lines[1]!r} should say draws"
    assert stands[1] == "stands", f"tableau: {lines[2]!r} should say stands"
    drawing, standing = _numbers(draws[0], TWO_CARD_TOTALS), _numbers(stands[0], TWO_CARD_TOTALS)
    _assert_split(drawing, standing, TWO_CARD_TOTALS, heading)
    return drawing


def _by_third(lines: list[str]) -> tuple[frozenset[int], ...]:
    assert lines[0] == _DREW_HEADING, f"tableau: {lines[0]!r} should read {_DREW_HEADING!r}"
    rows: dict[int, frozenset[int]] = {}
    for line in lines[1:]:
        totals, draws, stands = _columns(line, _DREW_HEADING)
        drawing, standing = _numbers(draws, THIRD_VALUES), _numbers(stands, THIRD_VALUES)
        _assert_split(drawing, standing, THIRD_VALUES, line)
        for total in _numbers(totals, TWO_CARD_TOTALS):
            assert total not in rows, f"tableau: Banker's {total} has two rows, the second is {line!r}"
            rows[total] = drawing
    assert rows.keys() == TWO_CARD_TOTALS, f"tableau: Banker's {sorted(TWO_CARD_TOTALS - rows.keys())} has no row"
    return tuple(rows[total] for total in sorted(rows))


def _columns(line: str, heading: str) -> list[str]:
    starts = [0, *(gap.end() for gap in re.finditer("  +", heading))]
    assert all(line[start - 1] == " " for start in starts[1:] if start < len(line)), f"tableau: {line!r} is out of line"
    return [line[start:end].rstrip() for start, end in zip(starts, [*starts[1:], None], strict=True)]


def _numbers(words: str, every: frozenset[int]) -> frozenset[int]:
    match words:
        case "every value":
            return every
        case "-":
            return frozenset()
    digits = words.split(" ")
    assert all(len(digit) == 1 and digit in "0123456789" for digit in digits), f"tableau: {words!r} are no values"
    assert digits == sorted(set(digits)), f"tableau: {words!r} is out of order"
    numbers = frozenset(map(int, digits))
    assert numbers <= every, f"tableau: {words!r} goes beyond {max(every)}"
    return numbers


def _assert_split(drawing: frozenset[int], standing: frozenset[int], every: frozenset[int], where: str) -> None:
    assert not drawing & standing, f"tableau, {where!r}: {sorted(drawing & standing)} both draws and stands"
    assert drawing | standing == every, f"tableau, {where!r}: {sorted(every - drawing - standing)} is not said"


_RULE = read_tableau(TABLEAU)


def player_draws(player_two: int) -> bool:
    """Whether Player takes a third card on this two-card total (no natural on the table)."""
    return player_two in _RULE.player_draws_on


def banker_draws(banker_two: int, player_third: int | None) -> bool:
    """Whether Banker takes a third card (no natural on the table).

    `player_third` is the value 0-9 of Player's third card, never Player's new total; None when Player stood.
    """
    if player_third is None:
        return banker_two in _RULE.banker_draws_on_when_player_stood
    return player_third in _RULE.banker_draws_on_third[banker_two]


def printed() -> str:
    """The table as the program understood it, printed in the same form: equal to `TABLEAU`, letter for letter."""
    totals = sorted(TWO_CARD_TOTALS)
    player_rows = _split_rows(totals, [player_draws(total) for total in totals])
    stood_rows = _split_rows(totals, [banker_draws(total, None) for total in totals])
    by_drawing: dict[frozenset[int], list[int]] = {}
    for total in totals:
        drawing = frozenset(third for third in THIRD_VALUES if banker_draws(total, third))
        by_drawing.setdefault(drawing, []).append(total)
    drew_rows = [
        f"{_words(rows):<13}{_words(drawing, THIRD_VALUES):<28}{_words(THIRD_VALUES - drawing, THIRD_VALUES)}"
        for drawing, rows in by_drawing.items()
    ]
    parts = [[_PLAYER_HEADING, *player_rows], [_STOOD_HEADING, *stood_rows], [_DREW_HEADING, *drew_rows]]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _split_rows(totals: list[int], draws: list[bool]) -> list[str]:
    drawing = [total for total, draw in zip(totals, draws, strict=True) if draw]
    standing = [total for total, draw in zip(totals, draws, strict=True) if not draw]
    return [f"{_words(drawing):<15}draws", f"{_words(standing):<15}stands"]


def _words(numbers: list[int] | frozenset[int], every: frozenset[int] | None = None) -> str:
    if numbers == every:
        return "every value"
    return " ".join(map(str, sorted(numbers))) or "-"


def identity() -> str:
    """The SHA-256 of the printed table, in hexadecimal: what a laboratory compares."""
    return hashlib.sha256(TABLEAU.encode("ascii")).hexdigest()
