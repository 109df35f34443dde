"""Writes the JSON Schemas of the configuration files. Called by tools/schema."""

import sys
from collections.abc import Sequence
from pathlib import Path

from controller.host.config_schema import SCHEMAS, schema_text
from tools.option_parser import OptionParser

CONFIG = Path(__file__).parents[1] / "config"


def main(arguments: Sequence[str]) -> int:
    """Exit codes: 0 written, or up to date; 1 a schema is stale."""
    parser = OptionParser(
        prog="tools/schema",
        description="Write the JSON Schemas of the configuration files, which editors read.",
        epilog="example: tools/schema --check",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a schema is stale")
    parser.add_argument("--folder", type=Path, default=CONFIG, help="where the schemas stand")
    options = parser.parse_args(arguments)
    stale = 0
    for name in SCHEMAS:
        path: Path = options.folder / name
        if not options.check:
            path.write_text(schema_text(name), encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != schema_text(name):
            print(f"{path}: not what the definitions say; run tools/schema", file=sys.stderr)
            stale += 1
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
