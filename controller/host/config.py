"""The YAML files of a table, read into frozen values: everything in them is known, or nothing is loaded."""

from pathlib import Path

from controller.game.wagers import Paytable
from controller.host import config_paytable
from controller.host.config_file import ConfigErrors, Source, read, source
from controller.host.yaml_strict import parse


def load_paytable(path: Path) -> Paytable:
    """The paytable of a file. Raises ConfigErrors with every mistake in it."""
    return _paytable(read(path)[0])


def load_paytable_text(text: str | bytes, name: str = "paytable") -> Paytable:
    """The paytable of a text; `name` stands where messages name the file. Raises ConfigErrors."""
    return _paytable(source(name, text))


def _paytable(read_from: Source) -> Paytable:
    table, findings = config_paytable.paytable(parse(read_from))
    if table is None:
        raise ConfigErrors([read_from.pointed(finding) for finding in findings])
    return table
