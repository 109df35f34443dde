"""What goes a line at a time: JSON of whole numbers and texts, and a path within a message."""

import json
from collections.abc import Callable
from functools import cache


class RecordUnreadable(Exception):
    """A recorded or received value that is not what this version writes: one line with where and what is wrong."""


dumps: Callable[[object], str] = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
"""Plain values as compact ASCII JSON in one line, keys in the order given."""


def loads(text: str | bytes) -> object:
    """The plain value of one JSON text in UTF-8.

    Raises RecordUnreadable, also for what Python's reader lets through: duplicate keys, numbers that are not whole,
    NaN, deep nesting.
    """
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        return _decoder().decode(text)
    except RecursionError:
        raise RecordUnreadable("nested too deeply") from None
    except ValueError as error:
        raise RecordUnreadable(f"no JSON: {ascii(str(error))[1:-1][:120]}") from None


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=_object, parse_float=_refuse_number, parse_constant=_refuse_number)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RecordUnreadable(f"the key {short(twice)} stands twice")
    return plain


def _refuse_number(text: str) -> object:
    raise RecordUnreadable(f"{text[:40]} is no whole number")


def short(plain: object) -> str:
    """A value of unknown origin as it may stand in a line."""
    return ascii(plain)[:60]


def shown(path: str) -> str:
    """A path as it may stand in a line."""
    return path if path.isprintable() else ascii(path)
