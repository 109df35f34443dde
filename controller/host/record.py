"""Inputs, events and a table's state as plain JSON values, and back.

A card is "TH", a place "player-1", an Enum its value, a Fraction "a/b", bytes are hex, tuples and sets are lists, a
dataclass is an object of its fields; where several kinds are possible its class name stands under "kind". House rules
are their identity alone: reading them needs the rules themselves. What a class looks like is worked out once, from its
type hints.
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from controller.game.cards import BadCard, Card, parse_card
from controller.game.coup import Place, parse_place
from controller.game.wagers import Paytable
from controller.host.lines import RecordUnreadable, dumps, loads, short
from controller.table.events import Event
from controller.table.inputs import Input
from controller.table.rules import HouseRules
from controller.table.state import TableState

__all__ = [
    "RecordUnreadable",
    "Rules",
    "dumps",
    "event_from_plain",
    "input_from_plain",
    "loads",
    "state_from_plain",
    "to_plain",
]

Rules = Mapping[str, HouseRules]
"""House rules by their identity."""

_NO_RULES: Rules = {}
_FRACTION = re.compile(r"(-?[0-9]{1,40})/([1-9][0-9]{0,39})", re.ASCII)
_HEX = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Coder:
    """How one type is written as a plain value and read back; `read` raises RecordUnreadable."""

    write: Callable[[Any], object]
    read: Callable[[object, Rules], Any]


# Whole values.


def to_plain(value: object, tag: Literal["input", "event", "state"]) -> dict[str, object]:
    """A frozen dataclass as a plain object: its class name under `tag`, then its fields in their order."""
    kind: Any = type(value)
    plain: dict[str, object] = {tag: kind.__name__}
    plain |= _class_coder(kind).write(value)
    return plain


def input_from_plain(plain: object, rules: Rules) -> Input:
    """The input that `to_plain(value, "input")` wrote. Raises RecordUnreadable."""
    value: Input = _tagged_coder(Input, "input").read(plain, rules)
    return value


def event_from_plain(plain: object) -> Event:
    """The event that `to_plain(value, "event")` wrote. Raises RecordUnreadable."""
    value: Event = _tagged_coder(Event, "event").read(plain, _NO_RULES)
    return value


def state_from_plain(plain: object, rules: Rules) -> TableState:
    """The state that `to_plain(value, "state")` wrote. Raises RecordUnreadable."""
    value: TableState = _tagged_coder(TableState, "state").read(plain, rules)
    return value


# One coder a type.


@cache
def _coder(hint: Any) -> _Coder:
    if hint in _LEAVES:
        return _LEAVES[hint]
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _union_coder(hint)
    if origin is tuple:
        return _tuple_coder(get_args(hint))
    if origin is frozenset:
        return _set_coder(_coder(get_args(hint)[0]))
    if origin is Literal:
        return _choice_coder({choice: choice for choice in get_args(hint)}, lambda value: value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice_coder({member.value: member for member in hint}, operator.attrgetter("value"))
    if isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "_fields")) and hint is not Paytable:
        class_coder = _class_coder(hint)
        return _Coder(class_coder.write, class_coder.read)
    raise TypeError(f"{hint} has no form in a record")


def _plain_coder(kind: type, what: str) -> _Coder:
    def read(plain: object, _rules: Rules) -> object:
        if type(plain) is not kind:
            raise RecordUnreadable(f"{short(plain)} is not {what}")
        return plain

    return _Coder(lambda value: value, read)


def _text_coder(write: Callable[[Any], str], parse: Callable[[str], object], what: str) -> _Coder:
    def read(plain: object, _rules: Rules) -> object:
        if not isinstance(plain, str):
            raise RecordUnreadable(f"{short(plain)} is not {what}")
        try:
            return parse(plain)
        except ValueError:
            raise RecordUnreadable(f"{short(plain)} is not {what}") from None

    return _Coder(write, read)


def _choice_coder(choices: Mapping[Any, Any], write: Callable[[Any], object]) -> _Coder:
    def read(plain: object, _rules: Rules) -> object:
        if not isinstance(plain, str | int) or isinstance(plain, bool) or plain not in choices:
            raise RecordUnreadable(f"{short(plain)} is not one of {', '.join(map(str, choices))}")
        return choices[plain]

    return _Coder(write, read)


def _read_rules(plain: object, rules: Rules) -> HouseRules:
    found = rules.get(plain) if isinstance(plain, str) else None
    if found is None:
        raise RecordUnreadable(f"no house rules with the identity {short(plain)} are at hand")
    return found


def _parse_fraction(text: str) -> Fraction:
    parts = _FRACTION.fullmatch(text)
    if parts is None:
        raise ValueError(text)
    return Fraction(int(parts[1]), int(parts[2]))


def _parse_hex(text: str) -> bytes:
    if not _HEX.fullmatch(text):
        raise ValueError(text)
    return bytes.fromhex(text)


_LEAVES: dict[Any, _Coder] = {
    int: _plain_coder(int, "a whole number"),
    bool: _plain_coder(bool, "true or false"),
    str: _plain_coder(str, "a text"),
    NoneType: _plain_coder(NoneType, "null"),
    bytes: _text_coder(bytes.hex, _parse_hex, "bytes in hex"),
    Card: _text_coder(operator.attrgetter("text"), parse_card, "a card"),
    Place: _text_coder(str, parse_place, "a place"),
    Fraction: _text_coder(lambda value: f"{value.numerator}/{value.denominator}", _parse_fraction, "a fraction"),
    HouseRules: _Coder(operator.attrgetter("identity"), _read_rules),
}
assert issubclass(BadCard, ValueError), "a text that is no card must be readable as trouble"


# Coders made of coders.


def _list(plain: object) -> list[object]:
    if not isinstance(plain, list):
        raise RecordUnreadable(f"{short(plain)} is not a list")
    return plain


def _tuple_coder(hints: tuple[Any, ...]) -> _Coder:
    if len(hints) == 2 and hints[1] is Ellipsis:
        write, read = (item := _coder(hints[0])).write, item.read
        return _Coder(
            lambda value: [write(each) for each in value],
            lambda plain, rules: tuple([read(each, rules) for each in _list(plain)]),
        )
    coders = tuple(_coder(hint) for hint in hints)

    def read_all(plain: object, rules: Rules) -> tuple[object, ...]:
        items = _list(plain)
        if len(items) != len(coders):
            raise RecordUnreadable(f"{short(plain)} has {len(items)} items, not {len(coders)}")
        return tuple([coder.read(each, rules) for coder, each in zip(coders, items, strict=True)])

    return _Coder(lambda value: [coder.write(each) for coder, each in zip(coders, value, strict=True)], read_all)


def _set_coder(item: _Coder) -> _Coder:
    return _Coder(
        lambda value: sorted((item.write(each) for each in value), key=dumps),
        lambda plain, rules: frozenset([item.read(each, rules) for each in _list(plain)]),
    )


def _union_coder(union: Any) -> _Coder:
    kinds = tuple(kind for kind in get_args(union) if kind is not NoneType)
    one = _coder(kinds[0]) if len(kinds) == 1 else _tagged_coder(Union[kinds], "kind")  # noqa: UP007 (built at run time)
    if len(kinds) == len(get_args(union)):
        return one
    write, read = one.write, one.read
    return _Coder(
        lambda value: None if value is None else write(value),
        lambda plain, rules: None if plain is None else read(plain, rules),
    )


@cache
def _tagged_coder(union: Any, tag: str) -> _Coder:
    """For dataclasses told apart by their class name under `tag`."""
    kinds: tuple[type, ...] = get_args(union) or (union,)
    coders = {kind: _class_coder(kind) for kind in kinds}
    by_name = {kind.__name__: coder for kind, coder in coders.items()}
    assert len(by_name) == len(kinds), f"two kinds of {union} share a name"

    def write(value: object) -> dict[str, object]:
        return {tag: type(value).__name__} | coders[type(value)].write(value)

    def read(plain: object, rules: Rules) -> object:
        if not isinstance(plain, dict):
            raise RecordUnreadable(f"{short(plain)} is not an object")
        name = plain.get(tag)
        coder = by_name.get(name) if isinstance(name, str) else None
        if coder is None:
            raise RecordUnreadable(f"{short(name)} is no {tag} that this version knows")
        return coder.read({key: each for key, each in plain.items() if key != tag}, rules)

    return _Coder(write, read)


@dataclass(frozen=True)
class _ClassCoder:
    """A dataclass or named tuple as an object of its fields, worked out at the first use: a class may hold itself."""

    kind: type

    @cached_property
    def _writers(self) -> tuple[tuple[str, Callable[[Any], Any], Callable[[Any], object]], ...]:
        return tuple((name, operator.attrgetter(name), coder.write) for name, coder in self._coders.items())

    @cached_property
    def _coders(self) -> dict[str, _Coder]:
        hints = get_type_hints(self.kind)
        if not is_dataclass(self.kind):
            return {name: _coder(hint) for name, hint in hints.items()}
        return {field.name: _coder(hints[field.name]) for field in fields(self.kind) if field.init}

    def write(self, value: Any) -> dict[str, object]:
        return {name: write(get(value)) for name, get, write in self._writers}

    def read(self, plain: object, rules: Rules) -> Any:
        name = self.kind.__name__
        if not isinstance(plain, dict):
            raise RecordUnreadable(f"{name}: {short(plain)} is not an object")
        if plain.keys() != self._coders.keys():
            odd = sorted(plain.keys() ^ self._coders.keys())[0]
            raise RecordUnreadable(f"{name}: the field {short(odd)} is {'unknown' if odd in plain else 'missing'}")
        values: dict[str, Any] = {}
        for field, coder in self._coders.items():
            try:
                values[field] = coder.read(plain[field], rules)
            except RecordUnreadable as trouble:
                raise RecordUnreadable(f"{name}.{field}: {trouble}") from None
        try:
            return self.kind(**values)
        except ValueError as trouble:
            raise RecordUnreadable(f"{name}: {ascii(str(trouble))[1:-1]}") from None


@cache
def _class_coder(kind: type) -> _ClassCoder:
    return _ClassCoder(kind)
