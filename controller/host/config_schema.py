"""JSON Schemas of the configuration files, for editors: made from the very definitions that read the files."""

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from controller.host import config_paytable, config_table
from controller.host.config_condition import FACTS_SCHEMA
from controller.host.config_shape import Map

SCHEMAS: dict[str, tuple[type[Map], str]] = {
    "paytable.schema.json": (config_paytable.PaytableMap, config_paytable.FORMAT),
    "table.schema.json": (config_table.TableMap, config_table.FORMAT),
}
"""By the name of the file: what it describes."""


class _Quiet(GenerateJsonSchema):
    """A default that JSON has no word for is left out without a warning."""

    ignored_warning_types = {"skipped-choice", "non-serializable-default"}


def schema_text(name: str) -> str:
    """The whole text of a schema file. What only `punto check` can tell (odds, sums, other files) is not in it."""
    shape, form = SCHEMAS[name]
    made = shape.model_json_schema(schema_generator=_Quiet)
    definitions = made.pop("$defs")
    if shape is config_paytable.PaytableMap:
        definitions["Facts"] = {**FACTS_SCHEMA}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "Made by tools/schema from the definitions that read the files: change those, then run it.",
        "title": form,
        **_plain(made),
        "$defs": {key: _plain(value, itself=key == "Facts") for key, value in definitions.items()},
    }
    return json.dumps(schema, indent=1) + "\n"


def _plain(node: Any, itself: bool = False) -> Any:
    """Without titles that repeat a key and defaults that say nothing; facts by reference, but where defined."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    node = _without_null(node)
    if node == FACTS_SCHEMA and not itself:
        return {"$ref": "#/$defs/Facts"}
    kept = {key: _plain(value) for key, value in node.items() if key != "title" and not _says_nothing(key, value)}
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    return kept


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """A key may be left out; null is no value of any."""
    if {"type": "null"} not in node.get("anyOf", []):
        return node
    others = [each for each in node["anyOf"] if each != {"type": "null"}]
    return {**node, "anyOf": others} if others[1:] else {**others[0], **_without(node, "anyOf")}


def _without(node: dict[str, Any], key: str) -> dict[str, Any]:
    return {each: value for each, value in node.items() if each != key}


def _says_nothing(key: str, value: object) -> bool:
    return key == "default" and (value is None or isinstance(value, (dict, list)))
