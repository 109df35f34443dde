"""A text's characters and YAML events, and the one mistake that ends them. Nothing is built from them here."""

import re
import unicodedata
from collections.abc import Iterator

import yaml
from yaml.events import CollectionEndEvent, CollectionStartEvent, Event

from controller.host.config_file import START, Finding, Spot
from drivers.escape import escaped

MOST_LEVELS = 20
_MOST_EVENTS = 10_000
_MOST_CHARACTER_FINDINGS = 10
_TAG = "tag:yaml.org,2002:"


class StrictLoader(yaml.SafeLoader):
    """PyYAML's scanner and parser in Python, which has the marks, with three resolvers of our own."""

    yaml_implicit_resolvers = {}

    def plain(self, text: str) -> bool | int | str | None:
        """What a scalar without quotes means."""
        match str(self.resolve(yaml.ScalarNode, text, (True, False))).removeprefix(_TAG):  # type: ignore[no-untyped-call]
            case "null":
                return None
            case "bool":
                return text == "true"
            case "int":
                return int(text)
            case _:
                return text


StrictLoader.add_implicit_resolver(f"{_TAG}null", re.compile(r"(?:~|null|)\Z"), ["~", "n", ""])
StrictLoader.add_implicit_resolver(f"{_TAG}bool", re.compile(r"(?:true|false)\Z"), list("tf"))
StrictLoader.add_implicit_resolver(f"{_TAG}int", re.compile(r"(?:0|-?[1-9][0-9]{0,18})\Z"), list("-0123456789"))


_SUSPECT = re.compile(r"[^\x20-\x7e\r\n]|\r(?!\n)")
_UNFIT = {"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"}


def is_unfit(character: str) -> bool:
    """Controls, invisible signs, blanks of other kinds, what turns the writing direction, what is no character."""
    return character != " " and unicodedata.category(character) in _UNFIT


def unfit_characters(text: str) -> Iterator[Finding]:
    """The first of them; a file of another kind is full of them."""
    count = 0
    for match in _SUSPECT.finditer(text):
        character = match.group()
        if not is_unfit(character):
            continue
        count += 1
        if count > _MOST_CHARACTER_FINDINGS:
            return
        before = text[: match.start()]
        spot = Spot(before.count("\n") + 1, match.start() - before.rfind("\n"))
        yield Finding(spot, "", about_character(character))


def about_character(character: str) -> str:
    """What to say of an unfit character."""
    if character == "\t":
        return "a tab; use blanks"
    return f"the character U+{ord(character):04X} is not allowed; write plain text"


def made_fit(text: str) -> str:
    """The text with blanks for unfit characters: what else is wrong can be told in the same run."""
    return _SUSPECT.sub(lambda match: " " if is_unfit(match.group()) else match.group(), text)


def events_of(loader: StrictLoader, text: str) -> tuple[list[Event], Finding | None]:
    """The parser's events, or the mistake that ended them."""
    events: list[Event] = []
    levels = 0
    try:
        while loader.check_event():
            event = loader.get_event()  # type: ignore[no-untyped-call]
            events.append(event)
            levels += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if levels > MOST_LEVELS:
                return events, Finding(spot_of(event), "", f"nested deeper than {MOST_LEVELS} levels")
            if len(events) > _MOST_EVENTS:
                return events, Finding(spot_of(event), "", "too many entries; a file holds some thousand")
    except yaml.MarkedYAMLError as error:
        return events, _syntax(error, text)
    except (yaml.YAMLError, ValueError, OverflowError):
        # PyYAML's scanner lets int() and chr() fail on a huge version number or "\UFFFFFFFF".
        return events, Finding(Spot(loader.line + 1, loader.column + 1), "", "this cannot be read; write plain text")
    return events, None


def spot_of(event: Event) -> Spot:
    """Where an event begins."""
    assert event.start_mark is not None
    return Spot(event.start_mark.line + 1, event.start_mark.column + 1)


def spans_lines(event: Event) -> bool:
    """Whether it ends on another line than it begins."""
    assert event.start_mark is not None
    assert event.end_mark is not None
    return event.start_mark.line != event.end_mark.line


WITHOUT_BLANK = re.compile(r"\s*(?:- )?(?P<key>[A-Za-z][A-Za-z0-9_-]*):[^\s:/]")
_WORDS = {
    "mapping values are not allowed here": "a second 'key: value' on one line, or wrongly indented",
    "could not find expected ':'": "a key without ':' after it",
    "found character '%' that cannot start any token": "'%' must not come first; a percentage is written 5%",
}


def _syntax(error: yaml.MarkedYAMLError, text: str) -> Finding:
    problem = error.problem or error.context or "this cannot be read"
    mark = error.problem_mark or error.context_mark
    at = Spot(mark.line + 1, mark.column + 1) if mark else START
    lines = text.split("\n")
    if problem in _WORDS:
        key_line = error.context_mark.line if error.context_mark else at.line - 2
        for number in (key_line, at.line - 1):
            match = WITHOUT_BLANK.match(lines[number]) if 0 <= number < len(lines) else None
            if match:
                return Finding(Spot(number + 1, match.start("key") + 1), match["key"], blank_missing(match["key"]))
    at = Spot(min(at.line, len(lines)), at.column)
    what = _WORDS.get(problem, problem if error.context is None else f"{error.context}: {problem}")
    return Finding(at, "", f"not YAML: {escaped(what)}")


def blank_missing(key: str) -> str:
    """What to say of `pays:8:1`."""
    return f"a blank is missing after {escaped(key, 60)}:"
