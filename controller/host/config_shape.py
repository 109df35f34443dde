"""From a document and a pydantic model to values, or to every mistake at its place in the file."""

from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from controller.host.config_file import Finding
from controller.host.config_values import Wrong, meant, written
from controller.host.yaml_events import WITHOUT_BLANK, blank_missing
from controller.host.yaml_strict import Document, Keys

Shape = TypeVar("Shape", bound="Map")


class Map(BaseModel):
    """A map of known keys; any other key is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def shaped(document: Document, shape: type[Shape]) -> tuple[Shape | None, list[Finding]]:
    """The document in a shape, or None and what is wrong besides the mistakes that stand in `document` already."""
    try:
        return shape.model_validate(document.data), []
    except ValidationError as error:
        details = error.errors(include_url=False)
    findings = [
        finding
        for number, each in enumerate(details)
        for keys, finding in _findings(document, shape, each, guess=number < MOST_GUESSES)
        if _new(document, keys)
    ]
    guessed = {finding.text.partition("did you mean ")[2] for finding in findings if "unknown key" in finding.text}
    return None, [
        finding
        for finding in findings
        if finding.text != MISSING or finding.key.rpartition(".")[2] not in guessed  # misspelt: told once
    ]


MISSING = "this key is missing"
MOST_GUESSES = 100
"""For so many mistakes it is guessed what was meant; more are not printed anyway."""


def _new(document: Document, keys: Keys) -> bool:
    return not any(keys[:length] in document.broken for length in range(1, len(keys) + 1))


def _findings(document: Document, shape: type[Map], error: ErrorDetails, *, guess: bool) -> list[tuple[Keys, Finding]]:
    keys = _keys(document, error)
    on_key = error["loc"][-1:] == ("[key]",)
    match error["type"]:
        case "missing":
            texts = [(keys, MISSING)]
        case "extra_forbidden":
            known = known_keys(shape, keys[:-1]) if guess else []
            texts, on_key = [(keys, _unknown(keys[-1], known) if guess else "unknown key")], True
        case "value_error":
            wrong = error["ctx"]["error"]
            inside = wrong.inside if isinstance(wrong, Wrong) else (((), str(wrong)),)
            texts = [((*keys, *below), text) for below, text in inside]
        case "list_type":
            texts = [(keys, f"a list is wanted, not {written(error['input'])}; write [ ... ]")]
        case "too_short":
            texts = [(keys, f"{len(error['input'])} {keys[-1]}; write at least {error['ctx']['min_length']}")]
        case "too_long":
            texts = [(keys, f"{len(error['input'])} {keys[-1]}; write at most {error['ctx']['max_length']}")]
        case _:
            texts = [(keys, _no_map(error["input"]))]
    return [(at, document.finding(at, text, on_key=on_key)) for at, text in texts]


def _keys(document: Document, error: ErrorDetails) -> Keys:
    """The keys of the file that an error's `loc` passes through; a missing key ends it."""
    keys: Keys = ()
    node: Any = document.data
    for step in error["loc"]:
        inside = step in node if isinstance(node, dict) else isinstance(node, list) and step in range(len(node))
        if inside:
            keys, node = (*keys, step), node[step]
        elif error["type"] == "missing":
            keys = (*keys, step)
    return keys


def _no_map(value: object) -> str:
    if isinstance(value, str) and (match := WITHOUT_BLANK.match(value)):
        return f"{blank_missing(match['key'])} ({written(value)})"
    return f"'key: value' lines are wanted, not {written(value)}"


_LATER = ("displays", "staff", "tail")


def _unknown(key: str | int, known: list[str]) -> str:
    word = str(key)
    if word in _LATER:
        return "not available in this version; take it out"
    if not word.isascii() and (hint := meant(word, known)):
        return f"unknown key, written with letters that only look alike ({written(word)}){hint}"
    if match := WITHOUT_BLANK.match(word):
        return f"unknown key; {blank_missing(match['key'])}"
    return "unknown key" + (meant(word, known) or f"; known are {', '.join(known)}")


def known_keys(shape: type[Map], keys: Keys) -> list[str]:
    """The keys that a map at this place may have."""
    for key in keys:
        field = shape.model_fields.get(key) if isinstance(key, str) else None
        annotation = field.annotation if field else shape.__annotations__.get("__pydantic_extra__")
        shape = _map_within(annotation) or shape
    return list(shape.model_fields)


def _map_within(annotation: Any) -> type[Map] | None:
    if isinstance(annotation, type) and issubclass(annotation, Map):
        return annotation
    return next((found for part in get_args(annotation) if (found := _map_within(part))), None)


_KINDS = {"punto-table 1": "a table", "punto-paytable 1": "a paytable"}


def format_trouble(document: Document, *wanted: str) -> Finding | None:
    """What is wrong with the document's `format`, which says how all the rest is to be read; None when it is wanted."""
    told = document.at("format")
    if document.data is None or told in wanted or ("format",) in document.broken:
        return None
    if told is None:
        for key in document.data:
            if hint := meant(key, ["format"]):
                return document.finding((key,), f"unknown key{hint}", on_key=True)
        return document.finding(("format",), f"{MISSING}; write format: {' or '.join(wanted)}")
    if isinstance(told, str) and told in _KINDS:
        return document.finding(("format",), f"this is {_KINDS[told]}, not {_KINDS[wanted[0]]}")
    return document.finding(("format",), f"this version reads {' and '.join(wanted)}, not {written(told)}")
