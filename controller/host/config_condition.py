"""A wager's conditions as YAML writes them: facts that must all hold, or a list of such maps of which one must."""

import re
from collections.abc import Iterator

from controller.game.wagers import FACTS, AllOf, Condition, Value
from controller.host.config_form import Form, JsonSchema
from controller.host.config_shape import MOST_GUESSES
from controller.host.config_values import Wrong, meant, written
from controller.host.yaml_events import WITHOUT_BLANK, blank_missing

Inside = tuple[tuple[str | int, ...], str]
_MOST_MAPS = 50


def condition(value: object) -> Condition:
    """`{winner: tie, total: [0, 7-9]}` or a list of such maps. Raises Wrong with every mistake in it."""
    if isinstance(value, list):
        if not 1 <= len(value) <= _MOST_MAPS:
            raise Wrong(((), f"a list of {len(value)} maps of facts; write 1 to {_MOST_MAPS}"))
        return Condition(tuple(_each(((index,), each) for index, each in enumerate(value))))
    return Condition(tuple(_each([((), value)])))


def _each(maps: Iterator[tuple[tuple[int, ...], object]] | list[tuple[tuple[int, ...], object]]) -> list[AllOf]:
    inside: list[Inside] = []
    found: list[AllOf] = []
    for keys, each in maps:
        facts: list[tuple[str, frozenset[Value]]] = []
        for name, allowed in _facts(each, keys, inside):
            facts.append((name, allowed))
        found.append(AllOf(tuple(facts)))
    if inside:
        raise Wrong(*inside)
    return found


def _facts(each: object, keys: tuple[int, ...], inside: list[Inside]) -> Iterator[tuple[str, frozenset[Value]]]:
    if not isinstance(each, dict) or not each:
        inside.append((keys, _no_facts(each)))
        return
    for name, value in each.items():
        if name not in FACTS:
            hint = (meant(name, FACTS) or f"; known are {', '.join(FACTS)}") if len(inside) < MOST_GUESSES else ""
            inside.append(((*keys, name), f"unknown fact{hint}"))
            continue
        values = value if isinstance(value, list) else [value]
        if not values:
            inside.append(((*keys, name), "an empty list; write the values it may have"))
        allowed: set[Value] = set()
        for index, one in enumerate(values):
            at = (*keys, name, index) if isinstance(value, list) else (*keys, name)
            try:
                allowed.update(_values(FACTS[name].domain, one))
            except ValueError as error:
                inside.append((at, str(error)))
        yield name, frozenset(allowed)


def _no_facts(each: object) -> str:
    if isinstance(each, str) and (match := WITHOUT_BLANK.match(each)):
        return f"{blank_missing(match['key'])} ({written(each)})"
    return f"facts are wanted, as {{winner: tie}}, not {'an empty map' if each == {} else written(each)}"


def _values(domain: tuple[Value, ...], one: object) -> list[Value]:
    """The values of a fact's domain that one word, number or span `4-9` stands for."""
    same = [value for value in domain if type(value) is type(one) and value == one]
    if same:
        return same
    if isinstance(one, str) and (match := re.fullmatch(r"(0|[1-9][0-9]?)-(0|[1-9][0-9]?)", one)):
        first, last = int(match[1]), int(match[2])
        numbers = [value for value in domain if type(value) is int]
        if first in numbers and last in numbers:
            if first > last:
                raise ValueError(f"{one} runs backwards; did you mean {last}-{first}")
            return [value for value in numbers if first <= value <= last]
    raise ValueError(f"{written(one)} is not one of {_domain_text(domain)}{_value_meant(domain, one)}")


def _domain_text(domain: tuple[Value, ...]) -> str:
    numbers = [value for value in domain if type(value) is int]
    words = [written(value) for value in domain if type(value) is not int]
    return ", ".join(([f"{numbers[0]}-{numbers[-1]}"] if numbers else []) + words)


def _value_meant(domain: tuple[Value, ...], one: object) -> str:
    if not isinstance(one, str):
        return ""
    if one in [written(value) for value in domain]:
        return f"; did you mean {one}, without quotes"
    if True in domain and isinstance(domain[0], bool):
        near = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(one.lower(), "")
        return f"; did you mean {near}" if near else meant(one, ("true", "false"))
    return meant(one, [value for value in domain if isinstance(value, str)])


def _fact_schema(domain: tuple[Value, ...]) -> JsonSchema:
    one: JsonSchema = {"enum": list(domain)}
    if numbers := [value for value in domain if type(value) is int]:
        spans = [f"{first}-({'|'.join(map(str, numbers[place:]))})" for place, first in enumerate(numbers)]
        one = {"anyOf": [one, {"type": "string", "pattern": f"^({'|'.join(spans)})$"}]}
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


FACTS_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {name: _fact_schema(fact.domain) for name, fact in FACTS.items()},
    "additionalProperties": False,
    "minProperties": 1,
}
"""A map of facts, as an editor may know it."""

CONDITION = Form(
    condition,
    {"anyOf": [FACTS_SCHEMA, {"type": "array", "items": FACTS_SCHEMA, "minItems": 1, "maxItems": _MOST_MAPS}]},
)
