"""A table that is dealt at by the clock of its own answers: three real programs, and a hand that never rests."""

from collections.abc import Iterator
from pathlib import Path

from controller.host.client import Client
from tools.demo_inbox import DemoFailed, Ended, Inbox, Said
from tools.demo_processes import Programs
from tools.demo_shoe import ShoeOrders
from tools.demo_stage import COPY_GAP_MS, PANEL, SHOE, TABLE, TABLE_FILE, VERIFY

WAGERS = ("player", "banker", "tie", "player-pair")
EVENTS_WAIT_S = 30.0


class SoakTable:
    """Everything in `folder`, which somebody else removes. `deal` gives the number of each coup that is confirmed."""

    def __init__(self, folder: Path, programs: Programs, inbox: Inbox) -> None:
        self.journal = folder / "journal"
        self._programs, self._inbox = programs, inbox
        self._shoe_control, self._control = folder / "shoe.control", folder / "table.control"
        shoe, panel = f"pty:{folder / 'shoe'}", f"pty:{folder / 'panel'}"
        orders = ("--control", str(self._shoe_control), "--copy-gap-ms", str(COPY_GAP_MS))
        programs.start(SHOE, "tools.shoe_emulator_program", "--listen", shoe, *orders)
        programs.start(PANEL, "tools.panel_emulator_program", "--listen", panel, "--plain")
        shoe_port, panel_port = programs.started("listening on", SHOE, PANEL)
        ports = ("--shoe-port", shoe_port, "--display-port", panel_port)
        files = ("--journal", str(self.journal), "--control", str(self._control))
        programs.start(TABLE, "controller", "run", str(TABLE_FILE), *ports, *files)
        programs.started("ready", TABLE)

    def deal(self) -> Iterator[int]:
        """Shoe after shoe, two bets a coup, without end. Raises DemoFailed when the table is held."""
        shoe = ShoeOrders(self._shoe_control)
        coups = 0
        with Client(self._control) as client, Client(self._control) as follower:
            events = follower.events(0, EVENTS_WAIT_S)
            shoe.order("power")
            while True:
                kind = self._phase(client, events, shoe)
                if kind == "ShoeEnded":
                    shoe.order("power")
                    continue
                for seat, wager in enumerate((WAGERS[coups % 4], WAGERS[(coups + 1) % 4]), start=1):
                    _done(client.ask("bet", seat=seat, wager=wager, stake=10000))
                _done(client.ask("close-bets"))
                shoe.order("coup")
                _until(events, "CoupSettled")
                _done(client.ask("confirm"))
                coups += 1
                yield coups

    def _phase(self, client: Client, events: Iterator[dict[str, object]], shoe: ShoeOrders) -> str:
        """The next coup's bets are open, or the shoe is over; a burn is drawn on the way there."""
        while True:
            kind = _until(events, "BetsOpened", "ShoeEnded", "ShoeBegun")
            if kind != "ShoeBegun":
                return kind
            shoe.order("coup")  # the whole burn

    def ended(self) -> str:
        """End the table in good order; what `punto journal verify` says of its journal. Raises DemoFailed."""
        if code := self._programs.end(TABLE).code:
            raise DemoFailed(f"{TABLE} ended with exit code {code}")
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
                    pass


def _until(events: Iterator[dict[str, object]], *kinds: str) -> str:
    for event in events:
        kind = str(event["event"])
        if kind in kinds:
            return kind
        if kind in ("TableHeld", "TableTilted"):
            raise DemoFailed(f"the table stands: {event}")
    raise DemoFailed(f"nothing came while waiting for {' or '.join(kinds)}")


def _done(answer: dict[str, object]) -> None:
    if not answer["ok"]:
        raise DemoFailed(f"an order was refused: {answer}")
