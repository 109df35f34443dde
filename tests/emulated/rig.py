"""A whole table on a bench: the program as a child process, an emulated shoe and panel at its ports, a dealer's hand.

The devices are the simulated ones behind a real terminal or TCP port, driven by one thread; the hand speaks to the
table's control socket and waits on its events, never on the clock.
"""

import os
import re
import selectors
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from controller.host.client import Client
from drivers.displays.simulated import Board, SimulatedPanel
from drivers.shoes.angel_eye_codec import encode_report
from drivers.shoes.angel_eye_fields import DeviceReport
from drivers.shoes.simulated import ShoeSettings, SimulatedShoe
from drivers.shoes.simulated_cards import BurnRule
from drivers.shoes.simulated_faults import Fault, faults_from
from tests.emulated.program import PATIENCE_S, Ended, Program, punto, until
from tools.listening import FarEnd, listen

ROOT = Path(__file__).parents[2]
SIX_CARDS = ("2H", "3C", "2S", "KD", "4D", "AC")
"""Player 4 draws, Banker 3 draws on a 4: Player wins 8 to 4, with a pair."""
FOUR_CARDS = ("9H", "2C", "KS", "3D")
"""Player has a natural 9."""
COPY_GAP_MS = 2


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class Bench(threading.Thread):
    """Drives the devices; whoever touches one holds `lock`."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.lock = threading.RLock()
        self.devices: list[ShoeDevice | PanelDevice] = []
        self._stopping = False
        self._woken, self._waker = os.pipe()

    def run(self) -> None:
        while not self._stopping:
            with self.lock:
                for device in self.devices:
                    device.poll(now_ms())
                filenos = [device.end.fileno() for device in self.devices]
                deadlines = [at for device in self.devices if (at := device.deadline_ms()) is not None]
            wait_ms = max(0, min([*deadlines, now_ms() + 50]) - now_ms())
            with selectors.SelectSelector() as selector:
                for fileno in (self._woken, *filenos):
                    if fileno is not None and fileno >= 0:
                        selector.register(fileno, selectors.EVENT_READ)
                if any(key.fd == self._woken for key, _ in selector.select(wait_ms / 1000)):
                    os.read(self._woken, 4096)

    def wake(self) -> None:
        os.write(self._waker, b".")

    def stop(self) -> None:
        self._stopping = True
        self.wake()
        self.join(PATIENCE_S)
        for device in self.devices:
            device.end.close()
        os.close(self._woken)
        os.close(self._waker)


class ShoeDevice:
    """The emulated shoe: takes orders, and any bytes that a test wants on the line."""

    def __init__(
        self, bench: Bench, where: str, cards: Sequence[str] | None, faults: Sequence[Fault], settings: ShoeSettings
    ) -> None:
        self._bench = bench
        self.end: FarEnd = listen(where)
        self.shoe = SimulatedShoe(self.end, settings, cards, faults)
        self.seq = 0

    @property
    def url(self) -> str:
        return url_of(self.end)

    def poll(self, at_ms: int) -> None:
        self.shoe.poll(at_ms)

    def deadline_ms(self) -> int | None:
        return self.shoe.deadline_ms()

    def order(self, line: str) -> str:
        """As a line to the emulator."""
        with self._bench.lock:
            answer = self.shoe.order(line, now_ms())
        self._bench.wake()
        return answer

    def does(self, *lines: str) -> None:
        """Orders that it must carry out."""
        for line in lines:
            assert self.order(line) == "ok", line

    def draws(self, count: int = 1) -> None:
        self.does(*["draw"] * count)

    def is_silent(self) -> bool:
        with self._bench.lock:
            return self.shoe.is_silent()

    def raw(self, data: bytes) -> None:
        """Bytes on the line, past the device."""
        with self._bench.lock:
            assert self.end.send(data, now_ms())

    def frame(self, report: DeviceReport) -> bytes:
        """The next report, as one copy. For tests that speak for the device all the time."""
        self.seq = self.seq % 9 + 1
        return encode_report(report, self.seq)

    def says(self, report: DeviceReport, copies: int = 3) -> None:
        """The next report, as often as a shoe sends it."""
        self.raw(self.frame(report) * copies)


class PanelDevice:
    """The emulated panel: keeps every board that it showed."""

    def __init__(self, bench: Bench, where: str) -> None:
        self._bench = bench
        self.end: FarEnd = listen(where)
        self.panel = SimulatedPanel(self.end, panel_id="0A0B0C0D")
        self.boards: list[Board] = []

    @property
    def url(self) -> str:
        return url_of(self.end)

    def poll(self, at_ms: int) -> None:
        self.boards += self.panel.poll(at_ms)

    def deadline_ms(self) -> int | None:
        times = [self.panel.deadline_ms(), self.end.deadline_ms()]
        return min(at for at in times if at is not None)

    def shows(self, **coup: str) -> Board:
        """Wait until the board that is shown now says this about the coup."""

        def board() -> Board | None:
            with self._bench.lock:
                shown = self.panel.shown
            fits = shown is not None and all(shown.coup.get(key) == value for key, value in coup.items())
            return shown if fits else None

        return until(board)

    def shows_notice(self, level: str, text: str) -> Board:
        """Wait until the board that is shown now has this notice."""
        return until(lambda: self._with_notice(level, text))

    def _with_notice(self, level: str, text: str) -> Board | None:
        with self._bench.lock:
            shown = self.panel.shown
        fits = shown is not None and (shown.notice["level"], shown.notice["text"]) == (level, text)
        return shown if fits else None

    def is_covered(self) -> bool:
        with self._bench.lock:
            return self.panel.shown is None

    def press(self, key: str) -> None:
        with self._bench.lock:
            assert self.panel.press(key)
        self._bench.wake()


class Cable:
    """What is between the program and a device, in a test's hand."""

    def __init__(self, bench: Bench, end: FarEnd) -> None:
        self._bench, self._end = bench, end

    def pull(self, for_ms: int = 600_000) -> None:
        """Out, after what was sent got through."""
        with self._bench.lock:
            self._end.unplug(for_ms, now_ms())
        self._bench.wake()

    def is_out(self) -> None:
        """Wait until nothing is there any more."""
        until(lambda: self._end.fileno() is None)

    def put_back(self) -> None:
        """In again, at once."""
        with self._bench.lock:
            for waits in ("_away_ms", "_back_ms"):
                if hasattr(self._end, waits):
                    setattr(self._end, waits, 0)
        self._bench.wake()


def url_of(end: FarEnd) -> str:
    place = end.describe()
    return place.replace("tcp:", "socket://") if place.startswith("tcp:") else place


class Rig:
    """One table with all that belongs to it. `changes` replace texts of the demonstration table."""

    def __init__(
        self,
        folder: Path,
        cards: Sequence[str] | None = SIX_CARDS * 4,
        *,
        faults: Sequence[str] = (),
        changes: Sequence[tuple[str, str]] = (),
        burn: BurnRule | None = None,
        cut_depth: int = 0,
        wire: str = "pty",
        copy_gap_ms: int = COPY_GAP_MS,
    ) -> None:
        self.folder = folder
        self.bench = Bench()
        burn = burn or BurnRule("none")
        settings = ShoeSettings(burn=burn, cut_depth=cut_depth, copy_gap_ms=copy_gap_ms)
        places = {"pty": (f"pty:{folder / 'shoe'}", f"pty:{folder / 'panel'}"), "tcp": ("tcp:0", "tcp:0")}[wire]
        self.shoe = ShoeDevice(self.bench, places[0], cards, faults_from(faults), settings)
        self.panel = PanelDevice(self.bench, places[1])
        self.bench.devices = [self.shoe, self.panel]
        self.shoe_cable, self.panel_cable = Cable(self.bench, self.shoe.end), Cable(self.bench, self.panel.end)
        self.bench.start()
        self.table_file = write_table(folder, burn, changes)
        self.journal, self.control, self.trace = folder / "journal", folder / "control", folder / "trace"
        self.programs: list[Program] = []
        self.others: list[Program] = []
        """What runs beside the table."""
        self.events: list[dict[str, Any]] = []
        self._client: Client | None = None
        self._following: Iterator[dict[str, Any]] | None = None
        self._orders = 0

    # The program.

    def words(self) -> list[object]:
        """The command line."""
        ports = ["--shoe-port", self.shoe.url, "--display-port", self.panel.url]
        files = ["--journal", self.journal, "--control", self.control, "--trace", self.trace]
        return ["run", self.table_file, *ports, *files]

    @property
    def program(self) -> Program:
        return self.programs[-1]

    def launch(self, *, before: Callable[[], None] | None = None, environment: dict[str, str] | None = None) -> Program:
        """Start the program, without waiting for it; `before` as in `Program`."""
        self.programs.append(Program(self.folder, *self.words(), before=before, environment=environment))
        return self.program

    def start(self) -> "Rig":
        """Start the program and wait until it says that it is ready."""
        self.launch()
        self.ready()
        return self

    def ready(self) -> str:
        """Wait until it is; the phase that it named."""
        line = self.program.says("ready ")
        assert re.fullmatch(rf"ready table=demo phase=[a-z-]+ control={re.escape(str(self.control))}", line), line
        self.connects()
        return line.split("phase=")[1].split()[0]

    def connects(self) -> None:
        """Reach it by its control socket."""
        self._client = Client(self.control, PATIENCE_S)

    def kill(self) -> None:
        """kill -9."""
        self._hang_up()
        self.program.kill()

    def stop(self, number: int = signal.SIGTERM) -> Ended:
        """Ask it to end; it must, in good order."""
        self._hang_up()
        self.program.signal(number)
        return self.program.wait()

    def restart(self) -> str:
        """kill -9 and start again; the phase that it named."""
        self.kill()
        self.launch()
        return self.ready()

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = self._following = None

    def close(self) -> None:
        self._hang_up()
        for program in (*self.others, *self.programs):
            if program.is_running:
                program.kill()
        self.bench.stop()
        for program in self.programs:
            assert "Traceback" not in program.err, program.err

    # The dealer's hand.

    @property
    def client(self) -> Client:
        assert self._client is not None, "the program does not run"
        return self._client

    def ask(self, do: str, id: str | None = None, **fields: object) -> dict[str, Any]:
        """Ask the table, whatever it answers."""
        return self.client.ask(do, id, **fields)

    def does(self, *orders: str) -> None:
        """Plain orders that must be carried out."""
        for order in orders:
            answer = self.ask(order)
            assert answer["ok"], answer

    def bets(self, seat: int, wager: str, stake: int) -> None:
        answer = self.ask("bet", seat=seat, wager=wager, stake=stake)
        assert answer["ok"], answer

    def refuses(self, do: str, **fields: object) -> str:
        """An order that must be refused; the refusal's id."""
        answer = self.ask(do, None, **fields)
        assert answer["ok"] is False, answer
        assert "\n" not in answer["text"]
        return str(answer["refused"])

    def state(self) -> dict[str, Any]:
        return self.ask("state")

    def sees(self, event: str, **fields: object) -> dict[str, Any]:
        """Wait for the next event of this kind (from where the last one was seen) with these fields."""
        if self._following is None:
            self._following = self.client.events(self.events[-1]["seq"] if self.events else 0, PATIENCE_S)
        while True:
            try:
                seen = next(self._following)
            except TimeoutError:
                raise AssertionError(
                    f"no {event} with {fields} came; last: {self.events[-5:]}; {self.state()}"
                ) from None
            self.events.append(seen)
            if seen["event"] == event and all(seen.get(key) == value for key, value in fields.items()):
                return seen

    def held(self, reason: str) -> str:
        """Wait until the table is held for this reason; what it says."""
        return str(self.sees("TableHeld", reason=reason)["text"])

    def waits(self, reports: int) -> None:
        """Wait until so many reports wait in the hold."""
        until(lambda: (self.state()["held"] or {}).get("waiting") == reports)

    def cards_out(self, count: int) -> None:
        """Wait until so many cards of the coup lie."""
        until(lambda: len(self.state()["player"]) + len(self.state()["banker"]) == count)

    def begins_shoe(self) -> None:
        """The shoe is put in place; bets of coup 1 open."""
        self.does("start-shoe")
        self.sees("BetsOpened", coup=1)

    def deals(self, cards: int) -> None:
        """Bets close and so many cards are dealt."""
        self.does("close-bets")
        self.shoe.draws(cards)
        for _ in range(cards):
            self.sees("CardDealt")

    # Afterwards.

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What stands in the journal."""
        connection = sqlite3.connect(f"{self.journal.as_uri()}?mode=ro", uri=True)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def recorded(self, kind: str) -> int:
        """How many events of this kind are in the journal."""
        return int(self.rows(f"SELECT count(*) FROM events WHERE kind = '{kind}'")[0][0])

    def verifies(self) -> None:
        """The journal bears what it says."""
        verdict = punto(self.folder, "journal", "verify", self.journal)
        assert verdict.code == 0, verdict

    def traced(self, data: bytes) -> None:
        """Wait until the program has read these bytes of the shoe (a whole frame)."""
        until(lambda: self.trace.exists() and data.hex(" ") in self.trace.read_text())


def write_table(folder: Path, burn: BurnRule | None = None, changes: Sequence[tuple[str, str]] = ()) -> Path:
    """The demonstration table with these changes, in `folder`."""
    text = (ROOT / "config" / "tables" / "demo.yaml").read_text()
    text = text.replace("../paytables/", f"{ROOT}/config/paytables/")
    rule = {"none": "{by: none}", "first-card": "{by: first-card, ace: 1, court: 10}"}
    burn = burn or BurnRule("none")
    written = rule.get(burn.by, f"{{by: fixed, cards: {burn.cards}}}")
    for before, after in (("{by: first-card, ace: 1, court: 10}", written), *changes):
        assert text.count(before) == 1, f"{before!r} stands {text.count(before)} times in the table"
        text = text.replace(before, after)
    path = folder / "table.yaml"
    path.write_text(text)
    return path


Begin = Callable[..., Rig]
