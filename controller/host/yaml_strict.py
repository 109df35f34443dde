"""YAML without surprises: what a file says is read as written, or refused with line and column.

PyYAML's safe_load takes `8:1` for 481, `no` for False, `010` for 8, and the last of two equal keys. Here a plain scalar
is null, true, false or a decimal integer, and else text; equal keys, anchors, aliases, merge keys, tags, directives and
a second document are mistakes, and so is a key without a value. Depth is counted on the parser's events before anything
is built from them.
"""

from dataclasses import dataclass
from functools import lru_cache

from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from controller.host.config_file import START, Finding, Source, Spot
from controller.host.yaml_events import (
    WITHOUT_BLANK,
    StrictLoader,
    about_character,
    blank_missing,
    events_of,
    is_unfit,
    made_fit,
    spans_lines,
    spot_of,
    unfit_characters,
)
from drivers.escape import escaped

Plain = None | bool | int | str | list["Plain"] | dict[str, "Plain"]
Keys = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A file's content as plain values, with the place of every key and value, and the mistakes met on the way.

    `data` is None when the text could not be read to its end. What stands below `broken` is already reported.
    """

    source: Source
    data: dict[str, Plain] | None
    key_spots: dict[Keys, Spot]
    value_spots: dict[Keys, Spot]
    broken: frozenset[Keys]
    findings: tuple[Finding, ...]

    def at(self, *keys: str | int) -> Plain:
        """The value under these keys, None where there is none."""
        node: Plain = self.data
        for key in keys:
            if isinstance(node, dict) and isinstance(key, str):
                node = node.get(key)
            elif isinstance(node, list) and isinstance(key, int) and key < len(node):
                node = node[key]
            else:
                return None
        return node

    def finding(self, keys: Keys, text: str, *, on_key: bool = False) -> Finding:
        """A finding at these keys, or at the nearest place above that the file has."""
        spots = self.key_spots if on_key else self.value_spots
        near = keys
        while near and near not in spots:
            near, spots = near[:-1], self.key_spots
        return Finding(spots.get(near, START), dotted(keys), text)


def dotted(keys: Keys) -> str:
    """`wagers.tie.pays`, `seats.3`: the keys that lead somewhere; items of a list count from 1."""
    return ".".join(key if isinstance(key, str) else str(key + 1) for key in keys).rstrip(".")


@lru_cache(maxsize=4)  # the files of one table, each asked for more than once
def parse(source: Source) -> Document:
    """The document a text holds, to be read only. Never raises: what is wrong stands in `findings`."""
    unfit = list(unfit_characters(source.text))
    text = made_fit(source.text) if unfit else source.text
    loader = StrictLoader(text)
    events, trouble = events_of(loader, text)
    if trouble is not None:
        return Document(source, None, {}, {}, frozenset(), tuple(unfit or [trouble]))
    builder = _Builder(loader, events)
    data = builder.document()
    muted = {finding.spot.line for finding in unfit}
    findings = tuple(unfit + [finding for finding in builder.findings if finding.spot.line not in muted])
    return Document(source, data, builder.key_spots, builder.value_spots, frozenset(builder.broken), findings)


class _Builder:
    """Builds plain values from a document's events; at most `MOST_LEVELS` calls deep."""

    def __init__(self, loader: StrictLoader, events: list[Event]) -> None:
        self._loader = loader
        self._events = iter(events)
        self.key_spots: dict[Keys, Spot] = {}
        self.value_spots: dict[Keys, Spot] = {}
        self.broken: set[Keys] = set()
        self.findings: list[Finding] = []

    def document(self) -> dict[str, Plain] | None:
        data: dict[str, Plain] | None = None
        documents = 0
        for event in self._events:
            if not isinstance(event, DocumentStartEvent):
                continue
            documents += 1
            if event.version or event.tags:
                self._wrong(event, (), "directives (%YAML, %TAG) are not allowed; take the line out")
            if documents > 1:
                self._wrong(event, (), "a second document begins here; one file holds one")
                return data
            first = next(self._events)
            value = self._value(first, ())
            if isinstance(value, dict):
                data = value
            elif not isinstance(first, AliasEvent):
                self._wrong(first, (), "the file is no list of 'key: value' lines; begin with 'format: ...'")
        if not documents:
            self.findings.append(Finding(START, "", "the file is empty; begin with 'format: ...'"))
        return data

    def _wrong(self, event: Event, keys: Keys, text: str) -> None:
        self.findings.append(Finding(spot_of(event), dotted(keys), text))
        self.broken.add(keys)

    def _value(self, event: Event, keys: Keys) -> Plain:
        self.value_spots[keys] = spot_of(event)
        if isinstance(event, AliasEvent):
            self._wrong(event, keys, f"an alias (*{escaped(event.anchor or '', 40)}); write the value out")
            return None
        self._refuse_marked(event, keys)
        if isinstance(event, ScalarEvent):
            return self._scalar(event, keys)
        return self._mapping(keys) if isinstance(event, MappingStartEvent) else self._sequence(keys)

    def _refuse_marked(self, event: Event, keys: Keys) -> None:
        assert isinstance(event, (ScalarEvent, CollectionStartEvent)), event
        if event.anchor is not None:
            self._wrong(
                event, keys, f"an anchor (&{escaped(event.anchor or '', 40)}); write the value out where it is used"
            )
        if event.tag is not None:
            self._wrong(event, keys, f"a tag ({escaped(event.tag, 40)}); take it out")

    def _scalar(self, event: ScalarEvent, keys: Keys) -> Plain:
        text = event.value
        value = self._loader.plain(text) if event.style is None else text
        if spans_lines(event) and text:
            self._wrong(event, keys, "a text over several lines; write it on one")
        elif unfit := next(filter(is_unfit, text), ""):
            self._wrong(event, keys, about_character(unfit))
        if value is None:
            self._wrong(event, keys, f"no value ({text}); write one" if text else "no value; write one")
        return value

    def _sequence(self, keys: Keys) -> list[Plain]:
        items: list[Plain] = []
        for event in self._events:
            if isinstance(event, SequenceEndEvent):
                break
            items.append(self._value(event, (*keys, len(items))))
        return items

    def _mapping(self, keys: Keys) -> dict[str, Plain]:
        entries: dict[str, Plain] = {}
        for event in self._events:
            if isinstance(event, MappingEndEvent):
                break
            name = self._key(event, keys, entries)
            spot = spot_of(event)
            value_event = next(self._events)
            if name is None:
                self._value(value_event, (*keys, _name(event), ""))  # read for the mistakes in it, and dropped
            elif (short := WITHOUT_BLANK.match(name)) and _nothing(value_event):
                wrong = f"unknown key; {blank_missing(short['key'])}"
                self.findings.append(Finding(spot, dotted((*keys, name)), wrong))
                self.broken.add((*keys, short["key"]))
            else:
                self.key_spots[*keys, name] = spot
                entries[name] = self._value(value_event, (*keys, name))
        return entries

    def _key(self, event: Event, keys: Keys, entries: dict[str, Plain]) -> str | None:
        """The key's text as written; None when it cannot be one."""
        if not isinstance(event, ScalarEvent):
            self._value(event, (*keys, "?"))
            if not isinstance(event, AliasEvent):
                self._wrong(event, keys, "a list or a map as a key; a key is a word")
            return None
        name = event.value
        here = (*keys, name)
        self._refuse_marked(event, here)
        if name == "<<":
            self._wrong(event, keys, "a merge key (<<); write the keys out")
        elif unfit := next(filter(is_unfit, name), ""):
            self._wrong(event, here, about_character(unfit))
        elif not name:
            self._wrong(event, keys, "a key is missing before ':'")
        elif name in entries:
            first = self.key_spots[here].line
            self.findings.append(
                Finding(spot_of(event), dotted(here), f"this key is here twice, first on line {first}")
            )
        else:
            return name
        return None


def _name(event: Event) -> str:
    return event.value if isinstance(event, ScalarEvent) else "?"


def _nothing(event: Event) -> bool:
    return isinstance(event, ScalarEvent) and event.style is None and not event.value
