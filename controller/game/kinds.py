"""Kinds of coups as one table, a row each and a column for each fact. A set of kinds is an int, bit n for row n."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import compress

from controller.game.facts import Value

_ONES_AND_NOUGHTS = tuple(bytes(b"1"[0] if code == one else b"0"[0] for code in range(256)) for one in range(32))
"""Turns a column's codes into binary digits: which rows have this one. No fact has 32 values."""


class Kinds:
    """Some kinds of coups; `column(name)` has the value of the named fact in each of them."""

    def __init__(self, number: int, column: Callable[[str], Sequence[Value]]) -> None:
        self._number, self._column = number, column
        self._sets: dict[str, dict[Value, int]] = {}

    @classmethod
    def of(cls, names: Sequence[str], rows: Sequence[tuple[Value, ...]]) -> "Kinds":
        """`rows[n]` holds the value of each of `names` in kind n."""

        def column(name: str) -> list[Value]:
            place = names.index(name)
            return [row[place] for row in rows]

        return cls(len(rows), column)

    @cached_property
    def every(self) -> int:
        """The set of all kinds."""
        return (1 << self._number) - 1

    def having(self, name: str, allowed: Iterable[Value]) -> int:
        """The kinds in which the named fact has one of these values."""
        if name not in self._sets:
            self._sets[name] = _by_value(self._column(name))
        sets, found = self._sets[name], 0
        for value in allowed:
            found |= sets.get(value, 0)
        return found


def _by_value(column: Sequence[Value]) -> dict[Value, int]:
    codes = {value: code for code, value in enumerate(dict.fromkeys(column))}
    digits = bytes(map(codes.__getitem__, reversed(column)))
    return {value: int(digits.translate(_ONES_AND_NOUGHTS[code]), 2) for value, code in codes.items()}


def first_of(some: int) -> int:
    """The first kind of a set that is not empty."""
    return (some & -some).bit_length() - 1


def summed(numbers: Sequence[int], some: int) -> int:
    """The sum of the numbers, one a kind, over the kinds of a set."""
    return sum(compress(numbers, map(int, reversed(f"{some:b}"))))
