"""Imported once by the server that all programs are forked from: what each of them would work out anew at its start."""

from pathlib import Path

from controller.host.config import load_table
from controller.host.record import state_from_plain, to_plain
from controller.identity import identity
from controller.table.inputs import LinkState, ProgramStarted
from controller.table.state import new_table
from controller.table.table import step

identity()
rules = load_table(Path(__file__).parents[2] / "config" / "tables" / "demo.yaml").rules
started = ProgramStarted(0, rules, "", LinkState.UP, LinkState.UP)
state, events = step(new_table(rules), started)
state_from_plain(
    {name: value for name, value in to_plain(state, "state").items() if name != "state"} | {"state": "TableState"},
    {rules.identity: rules},
)
to_plain(started, "input")
for event in events:
    to_plain(event, "event")
