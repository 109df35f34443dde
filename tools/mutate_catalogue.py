"""Every tier of every paytable: other odds, other values of a fact, a fact left out; commission, pushes, the moment."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import yaml

from controller.game.facts import FACTS
from controller.game.reachable import reachable
from controller.game.wagers import resolve_by
from controller.host.config import load_paytable_text
from tools.mutation import ROOT, Mutation

FOLDER = "config/paytables"
TEST = "tests/config/test_catalogue.py::test_every_wager_is_what_it_was[{file}-{wager}]"

Facts = dict[str, tuple[str, ...]]
"""A map of facts as it is written: names, and values or spans."""


class _Change(NamedTuple):
    """What is changed of a wager, and the text that stands from `start` to before `end` instead."""

    what: str
    start: int
    end: int
    text: str


def mutations() -> Iterator[Mutation]:
    """All of them. One that resolves every coup as before, and pays the same, is proved to be equivalent."""
    for path in sorted((ROOT / FOLDER).glob("*.yaml")):
        source = path.read_text(encoding="utf-8")
        for wager, change in _changes(source):
            text = source[: change.start] + change.text + source[change.end :]
            name, test = f"{path.stem}, {wager}: {change.what}", TEST.format(file=path.stem, wager=wager)
            yield Mutation(
                "catalogue", name, f"{FOLDER}/{path.name}", text, (test,), partial(proof, source, text, wager)
            )


def proof(source: str, text: str, wager_id: str) -> str:
    """Why the wager is the same in both paytables; empty when it is not."""
    wager, changed = (load_paytable_text(each).by_id[wager_id] for each in (source, text))
    money = [(each.commission, each.settles, [tier.pays for tier in each.tiers]) for each in (wager, changed)]
    if money[0] != money[1]:
        return ""
    kinds = reachable(wager.names() | changed.names())
    if any(resolve_by(wager, facts) != resolve_by(changed, facts) for facts in kinds):
        return ""
    return f"each of the {len(kinds)} kinds of coups that it asks about is resolved as before"


def _changes(source: str) -> Iterator[tuple[str, _Change]]:
    """For each wager, by its id, everything in turn."""
    root = yaml.compose(source, yaml.BaseLoader)
    assert root is not None
    for key, wager in _items(_at(root, "wagers")):
        for change in _of_wager(wager):
            yield key.value, change


def _items(node: yaml.Node) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    assert isinstance(node, yaml.MappingNode), node
    return list(node.value)


def _at(node: yaml.Node, name: str) -> yaml.Node:
    return next(value for key, value in _items(node) if key.value == name)


def _of_wager(wager: yaml.Node) -> Iterator[_Change]:
    for key, value in _items(wager):
        match key.value:
            case "tiers":
                for number, tier in enumerate(value.value, 1):
                    yield from (change._replace(what=f"tier {number} {change.what}") for change in _of_wager(tier))
            case "pays":
                yield from _other_odds(value)
            case "commission":
                yield _instead(value, "commission", f"{int(value.value.removesuffix('%')) + 1}%")
            case "settles":
                yield _instead(value, "settles", "coup")
            case "wins" | "pushes":
                yield from _other_conditions(value, key.value)


def _instead(node: yaml.Node, what: str, text: str) -> _Change:
    return _Change(f"{what} {text}", node.start_mark.index, node.end_mark.index, text)


def _other_odds(node: yaml.Node) -> Iterator[_Change]:
    pays, stake = map(int, node.value.split(":"))
    for odds in (f"{pays + 1}:{stake}", f"{pays}:{stake + 1}"):
        yield _instead(node, "pays", f'"{odds}"')


def _other_conditions(node: yaml.Node, what: str) -> Iterator[_Change]:
    listed = isinstance(node, yaml.SequenceNode)
    maps = [_facts(each) for each in (node.value if isinstance(node, yaml.SequenceNode) else [node])]
    for number, facts in enumerate(maps):
        for other in _other_facts(facts):
            changed = [_written(each) for each in (*maps[:number], other, *maps[number + 1 :])]
            yield _instead(node, what, f"[{', '.join(changed)}]" if listed else changed[0])
        if listed and len(maps) > 1:
            left = [_written(each) for each in (*maps[:number], *maps[number + 1 :])]
            yield _instead(node, what, f"[{', '.join(left)}]")


def _facts(node: yaml.Node) -> Facts:
    return {
        key.value: tuple(each.value for each in value.value) if isinstance(value, yaml.SequenceNode) else (value.value,)
        for key, value in _items(node)
    }


def _written(facts: Facts) -> str:
    return "{" + ", ".join(f"{name}: {_listed(values)}" for name, values in facts.items()) + "}"


def _listed(values: tuple[str, ...]) -> str:
    return values[0] if len(values) == 1 else f"[{', '.join(values)}]"


def _other_facts(facts: Facts) -> Iterator[Facts]:
    """With a fact left out, with one of a list's values left out, with another value or another end of a span."""
    for name, values in facts.items():
        if len(facts) > 1:
            yield {each: facts[each] for each in facts if each != name}
        for place, value in enumerate(values):
            if len(values) > 1:
                yield facts | {name: (*values[:place], *values[place + 1 :])}
            for other in _other_values(name, value):
                if other not in values:
                    yield facts | {name: (*values[:place], other, *values[place + 1 :])}


def _other_values(name: str, value: str) -> Iterator[str]:
    """The neighbours of a value in the fact's domain; a span with an end moved by one."""
    domain = [str(each).lower() if isinstance(each, bool) else str(each) for each in FACTS[name].domain]
    first, dash, last = value.partition("-")
    if not dash:
        place = domain.index(value)
        yield from {domain[place - 1], domain[(place + 1) % len(domain)]} - {value}
        return
    for start, end in (
        (first, _next(last, -1)),
        (first, _next(last, 1)),
        (_next(first, -1), last),
        (_next(first, 1), last),
    ):
        if start in domain and end in domain:
            yield f"{start}-{end}" if start != end else start


def _next(number: str, step: int) -> str:
    return str(int(number) + step)
