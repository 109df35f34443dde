"""One value of a configuration: how it is read, and what an editor may know of it beforehand (JSON Schema)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """`read` makes the value or raises ValueError with what is wrong; `schema` never refuses what `read` takes."""

    read: Callable[[object], object]
    schema: Mapping[str, Any]

    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchema:
        return dict(self.schema)


def one_of(kind: type[Enum]) -> JsonSchema:
    """An Enum's words."""
    return {"enum": [member.value for member in kind]}
