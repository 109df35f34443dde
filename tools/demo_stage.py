"""The stage of a demonstration: the emulated devices and the table between them, with all their files in one folder."""

import contextlib
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from controller.host.client import Client, TableNotThere
from controller.table.rules import HouseRules
from tools.demo_inbox import DemoFailed, Ended, Happened, Inbox, Said
from tools.demo_processes import ROOT, Programs

TABLE_FILE = ROOT / "config" / "tables" / "demo.yaml"
SHOE, PANEL, TABLE, VERIFY = "the emulated shoe", "the emulated panel", "punto run", "punto journal verify"
COPY_GAP_MS = 2
"""Between two copies of a report; a shoe takes its time, and nobody wants to wait for that here."""


@dataclass(frozen=True, slots=True)
class Props:
    """What is in the shoe, top first; the card that it cannot read (0: none); and what the lines are."""

    rules: HouseRules
    cards: list[str]
    misread: int
    wire: Literal["pty", "tcp"]


class Stage:
    """Everything in `folder`, which somebody else removes."""

    def __init__(self, folder: Path, props: Props, inbox: Inbox, programs: Programs) -> None:
        self.shoe_control, self.table_control = folder / "shoe.control", folder / "table.control"
        self.boards, self.trace, self.journal = folder / "boards", folder / "trace", folder / "journal"
        self._folder, self._props, self._inbox, self._programs = folder, props, inbox, programs

    def set(self) -> None:
        """Start both devices, then the table between them; its events come to the inbox. Raises DemoFailed."""
        self._start_shoe()
        log = ("--log", str(self.boards), "--plain")
        self._programs.start(PANEL, "tools.panel_emulator_program", "--listen", self._place("panel"), *log)
        shoe_port, panel_port = (_url(place) for place in self._programs.started("listening on", SHOE, PANEL))
        ports = ("--shoe-port", shoe_port, "--display-port", panel_port)
        files = ("--journal", str(self.journal), "--control", str(self.table_control), "--trace", str(self.trace))
        self._programs.start(TABLE, "controller", "run", str(TABLE_FILE), *ports, *files)
        self._programs.started("ready", TABLE)
        threading.Thread(target=self._follow, daemon=True).start()

    def end_table(self) -> None:
        """End the table in good order: then its journal is whole. Raises DemoFailed."""
        ended = self._programs.end(TABLE)
        if ended.code:
            raise DemoFailed(f"{TABLE} ended with exit code {ended.code}; its last line: {ended.last}")

    def verified(self) -> str:
        """What `punto journal verify` says. Raises DemoFailed when the journal does not verify."""
        self._inbox.may_end(VERIFY)
        self._programs.start(VERIFY, "controller", "journal", "verify", str(self.journal))
        said = ""
        while True:
            match self._inbox.take(f"{VERIFY} to end"):
                case Said(who, line) if who == VERIFY:
                    said = line
                case Ended(who, code, _) if who == VERIFY:
                    if code:
                        raise DemoFailed(f"{VERIFY} ended with exit code {code}: {said}")
                    return said
                case _:
                    pass  # the table's last words

    def _start_shoe(self) -> None:
        """Filled and set up as the table's file says."""
        props, rules = self._props, self._props.rules
        cards, faults = self._folder / "cards", self._folder / "faults"
        cards.write_text("\n".join(props.cards) + "\n")
        faults.write_text(json.dumps({"card": props.misread, "do": "unreadable"}) + "\n" if props.misread else "")
        files = ("--cards", str(cards), "--faults", str(faults), "--control", str(self.shoe_control))
        burn = ("--ace", str(rules.burn.ace), "--court", str(rules.burn.court))
        more = ("--cut-depth", str(rules.cut_card.depth), "--copy-gap-ms", str(COPY_GAP_MS))
        self._programs.start(SHOE, "tools.shoe_emulator_program", "--listen", self._place("shoe"), *files, *burn, *more)

    def _place(self, name: str) -> str:
        return f"pty:{self._folder / name}" if self._props.wire == "pty" else "tcp:0"

    def _follow(self) -> None:
        """Hand on every event of the table, from the first, until it goes away."""
        with contextlib.suppress(TableNotThere), Client(self.table_control) as client:
            for event in client.events():
                self._inbox.put(Happened(event))


def _url(place: str) -> str:
    return f"socket://{place.removeprefix('tcp:')}" if place.startswith("tcp:") else place
