"""One table in simulated time: the real program between a shoe and a panel on bad lines, a bad disk and people."""

import hashlib
import random
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

from controller.host.control import ControlServer, Request
from controller.host.journal import DiskTrouble, Journal
from controller.host.journal_reader import JournalReader
from controller.host.loop import TableLoop
from controller.host.startup import Surroundings, begun, rebuilt
from controller.lab.journal_replay import replay
from controller.lab.verify import verify
from controller.table.events import CoupVoided, Event, ShoeEnded, TableHeld
from controller.table.machine import BETTING
from controller.table.state import TableState
from drivers.contracts import DisplayReport, TableDisplay, TraceLine, Wire, WireRefused
from drivers.displays.panel import PanelPicture
from drivers.displays.simulated import SimulatedPanel
from drivers.shoes.simulated import ShoeSettings, SimulatedShoe
from drivers.shoes.simulated_device import Device
from drivers.shoes.simulated_faults import WITH_NUMBER, Fault, Wrong
from drivers.wires_memory import Cable, MemoryWire
from tests.seeds.bad_disk import BadConnection, BadDisk
from tests.seeds.bad_line import BadLine
from tests.seeds.desk import Desk
from tests.seeds.happenings import (
    Answered,
    Ended,
    Followed,
    Gone,
    Happening,
    PanelShows,
    Recorded,
    Shown,
    Started,
    Told,
)
from tests.seeds.houses import HOUSES, SHOE_PORT, device_burn, house
from tests.seeds.invariants import Broken, Watching
from tests.seeds.kills import KilledHere, Kills
from tests.seeds.people import People
from tests.seeds.troubles import Troubles, calm, troubles_of
from tests.seeds.truth import Truth
from tests.seeds.witness import Witness

CALM_AFTER_MS = 3 * 3600 * 1000
ENDS_BY_MS = 6 * 3600 * 1000
"""By then a shoe must be over: every hold has its lawful way out."""
MINUTE_MS = 60_000
LOST_ANSWERS = DOUBLE_CLICKS = 0.02
"""Of all answers and orders: whoever asked has gone, or asked twice at once."""
FIRST_UTC = datetime(2026, 11, 30, 12, tzinfo=UTC)
FAULTS = (
    Wrong.UNREADABLE,
    Wrong.OVERDRAW,
    Wrong.DROP_COPIES,
    Wrong.DAMAGE_COPIES,
    Wrong.DROP_REPORT,
    Wrong.SWAP_NEXT,
    Wrong.WRONG_TARGET,
    Wrong.POWER,
    Wrong.UNPLUG,
    Wrong.WRONG_RESULT,
)


@dataclass(slots=True)
class Tally:
    """What one run came through."""

    seed: int
    broken: str = ""
    coups: int = 0
    cards: int = 0
    inputs: int = 0
    holds: int = 0
    kills: int = 0
    starts: int = 0
    erred: int = 0
    steps: int = 0
    simulated_s: int = 0
    digest: str = ""
    reasons: dict[str, int] = field(default_factory=dict)


class GuardedWire(MemoryWire):
    """The program's end of a cable: each call is one after which it may be dead."""

    def __init__(self, name: str, cable: Cable, kills: Kills) -> None:
        super().__init__(name, cable, 0)
        self._kills = kills

    def poll(self, now_ms: int) -> bytes:
        data = super().poll(now_ms)
        self._kills.here("after a read")
        return data

    def send(self, data: bytes, now_ms: int) -> bool:
        self._kills.here("before a write to a line")
        return super().send(data, now_ms)


class WatchedDisplay:
    """The display of the loop, and what it is given."""

    def __init__(self, display: TableDisplay[PanelPicture], shown: Callable[[PanelPicture, int], None]) -> None:
        self.wire = display.wire
        self._display = display
        self._shown = shown

    def show(self, picture: PanelPicture, now_ms: int) -> None:
        self._shown(picture, now_ms)
        self._display.show(picture, now_ms)

    def expect(self, picture: PanelPicture) -> None:
        self._display.expect(picture)

    def poll(self, now_ms: int) -> list[DisplayReport]:
        return self._display.poll(now_ms)

    def trace(self) -> list[TraceLine]:
        return self._display.trace()

    def deadline_ms(self) -> int | None:
        return self._display.deadline_ms()

    def is_up(self) -> bool:
        return self._display.is_up()


class World:
    """Everything of one seed. `run` goes to the end or to the first invariant that does not hold."""

    def __init__(self, seed: int, folder: Path, story: Callable[[str], None] | None = None) -> None:
        self.now_ms = 0
        self.judged = 0
        self.shoe_put_ms = 0
        self.tally = Tally(seed)
        self._chance = random.Random(seed)
        self._story = story
        self._digest = hashlib.sha256()
        self._folder = folder
        self._path = folder / "seeds.journal"
        self._file = house(self._chance.randrange(len(HOUSES)))
        self.troubles: Troubles = troubles_of(self._chance)
        rules = self._file.rules
        shoe_seed = self._chance.randrange(2**31)
        self.truth = Truth(rules.decks, shoe_seed)
        self.shoe_line = BadLine("shoe", self._apart())
        self.truth.reports = self.shoe_line.sent
        self.panel_line = BadLine("panel", self._apart())
        settings = ShoeSettings(rules.decks, shoe_seed, device_burn(rules), rules.cut_card.depth)
        self._shoe = SimulatedShoe(self.shoe_line, settings, self.truth.cards_in(), self._device_faults(rules.decks))
        self._panel = SimulatedPanel(self.panel_line, panel_id=self._hex())
        self.disk = BadDisk(self._apart())
        self._kills = Kills(self._apart(), max(self.troubles.kills, 1))
        if not self.troubles.kills:
            self._kills.stop()
        self._set_lines()
        self.people = People(self, self._apart())
        self._watching = Watching(self.truth)
        self.witness = Witness(rules, self._see, self.is_quiet)
        self._loop: TableLoop | None = None
        self._desk: Desk | None = None
        self._journal: Journal | None = None
        self._closing = ExitStack()
        self._cursor = 0
        self._boot_ms = 0
        self._utc_jump_s = 0.0
        self._start_ms = 0
        self._minute_ms = 0
        self._disk_well_ms: int | None = None
        self._is_calm = False

    def _apart(self) -> random.Random:
        """A part of the world draws its own chances, so that one more draw in one changes no other."""
        return random.Random(self._chance.randrange(2**63))

    def _hex(self) -> str:
        return f"{self._chance.randrange(16**8):08X}"

    def _device_faults(self, decks: int) -> list[Fault]:
        faults = []
        for card in range(1, decks * 52 * 2):
            if self._chance.random() < self.troubles.device_faults:
                do = self._chance.choice(FAULTS)
                most = 3000 if do is Wrong.UNPLUG else 3
                faults.append(Fault(card, do, self._chance.randrange(1, most + 1) if do in WITH_NUMBER else 0))
        return faults

    def _set_lines(self) -> None:
        troubles = self.troubles
        line = self.shoe_line
        line.lost, line.repeated, line.late = troubles.lost, troubles.repeated, troubles.late
        line.noise, line.drips = troubles.noise, troubles.drips
        self.panel_line.noise = self.panel_line.lost = troubles.panel_noise
        self.panel_line.drips = troubles.drips

    # What people and devices ask of it.

    @property
    def table(self) -> TableState | None:
        """The table as people see it; None while the program does not run."""
        return None if self._loop is None else self._loop.state

    @property
    def device(self) -> Device:
        return self._shoe.device

    def is_quiet(self) -> bool:
        """Nothing is on the shoe's line, nor about to be."""
        return self._shoe.is_silent() and self.shoe_line.is_silent()

    def ask(self, order_id: str, do: str, fields: Mapping[str, object]) -> None:
        self._tell(f"asks {do} {dict(fields)} as {order_id}")
        if self._desk is not None:
            for _ in range(1 + (self._chance.random() < DOUBLE_CLICKS)):
                self._desk.ask(order_id, do, dict(fields))

    def press(self, key: str) -> None:
        self._tell(f"presses {key}")
        self._panel.press(key)

    def draw(self) -> None:
        """A card is pulled out of the shoe, and laid where it belongs."""
        before, stopped, burns = self.device.cards_left(), self.device.is_stopped(), not self.device.burn_is_done()
        kept = self.device._kept
        answer = self._shoe.order("draw", self.now_ms)
        out = self.truth.take(before - self.device.cards_left())
        self._tell(f"draws {out or kept} ({answer})")
        self.tally.cards += len(out)
        if answer != "ok" or stopped or burns:
            return
        card = kept or out[0]
        self.truth.lay(card)

    def sweep(self) -> None:
        """The cards go off the table, and the shoe is told that its coup is over."""
        self._tell("sweeps the table")
        self.truth.sweep()
        if self.device.coup_is_on():
            self.device_order("result")

    def device_order(self, order: str) -> None:
        self._tell(f"shoe: {order}: {self._shoe.order(order, self.now_ms)}")

    def clear_device(self) -> None:
        for order in (*(f"clear {code}" for code in range(1, 8)), "key unlock"):
            if self._shoe.order(order, self.now_ms) == "ok":
                self._tell(f"shoe: {order}")

    def turn_key(self) -> None:
        self.device_order("key lock")
        self.device_order("key unlock")

    def put_new_shoe(self) -> None:
        self.truth.new_shoe()
        self.shoe_put_ms = self.now_ms
        self.device_order("shoe")

    def restart(self, why: str) -> None:
        """Somebody stops the program with force."""
        raise KilledHere(why)

    # The run.

    def run(self) -> Tally:
        """To the end. Never raises for what the program does wrong: that is in the tally."""
        try:
            while not self._is_over():
                self._step()
            self._finish()
        except Broken as broken:
            self.tally.broken = str(broken)
        except (KilledHere, KeyboardInterrupt):
            raise
        except Exception as fault:  # noqa: BLE001 a crash of the program is a finding as any other
            self.tally.broken = f"the program broke: {type(fault).__name__}: {fault} at {_place(fault)}"
        finally:
            self._end_program()
        self.tally.erred = self.truth.erred
        self.tally.simulated_s = self.now_ms // 1000
        self.tally.digest = self._digest.hexdigest()[:16]
        return self.tally

    def _is_over(self) -> bool:
        """The second shoe is open for bets, nothing is held and nothing on the way."""
        state = self.table
        return state is not None and state.shoe >= 2 and state.phase is BETTING and self.is_quiet()

    def _step(self) -> None:
        self.tally.steps += 1
        self.now_ms = max(self.now_ms + 1, self._next_ms())
        if self.now_ms > ENDS_BY_MS:
            state = self.table
            raise Broken(f"liveness: the shoe is not over after {ENDS_BY_MS // 3600000} hours: {state and state[2:9]}")
        if self.now_ms >= self._minute_ms:
            self._minute()
        self._shoe.poll(self.now_ms)
        for board in self._panel.poll(self.now_ms):
            self._see(PanelShows(board))
        if self.now_ms >= self.people.due_ms:
            self.people.act()
        self._guarded(self._turn)

    def _next_ms(self) -> int:
        times = [self.people.due_ms, self._panel.deadline_ms(), self._minute_ms]
        if self.panel_line.cable.towards[1]:
            times.append(self.now_ms + 1)
        if self._loop is None:
            times.append(self._start_ms)
        else:
            times.append(self._loop.next_ms(self._clock()) + self._boot_ms)
        times += [
            at
            for at in (self._shoe.deadline_ms(), self.panel_line.deadline_ms(), self.shoe_line.deadline_ms())
            if at is not None
        ]
        return min(times)

    def _turn(self) -> None:
        """The program does all that it can do now; while it does not run, it is started when it is time."""
        if self._loop is None:
            if self.now_ms >= self._start_ms:
                self._start()
        else:
            self._loop.turn(self._clock())

    def _guarded(self, what: Callable[[], None]) -> None:
        try:
            what()
        except KilledHere as killed:
            self._die(str(killed))

    def _clock(self) -> int:
        return self.now_ms - self._boot_ms

    def _utc(self) -> datetime:
        return FIRST_UTC + timedelta(milliseconds=self.now_ms, seconds=self._utc_jump_s)

    # The program comes and goes.

    def _start(self) -> None:
        self._boot_ms = self.now_ms - self._chance.choice((0, 1_000, 10**6, 10**9)) - self._chance.randrange(10**5)
        closing = ExitStack()
        self._closing = closing
        rules = self._file.rules
        try:
            self._surface()
            journal = Journal.open(self._path, rules.table, rules.simulation)
            self._journal = journal
            self._spoil(journal)
            state = rebuilt(journal, rules)
            self._see(Started(state))
            desk = Desk(self._kills, self._answered, self._followed, self._cursor)
            around = Surroundings(self._wire, self._clock, self._utc, self._chance.getrandbits, self._told)
            loop = begun(closing, around, self._file, journal, state, cast(ControlServer, desk))
        except (DiskTrouble, WireRefused) as why:
            self._tell(f"cannot start: {why}")
            self._end_program()
            self._start_ms = self.now_ms + 1_000
            return
        display = loop._display
        assert display is not None
        loop._display = WatchedDisplay(display, self._shown)
        self._loop, self._desk = loop, desk
        self.tally.starts += 1
        self._tell(f"started in {state.phase.value}")

    def _surface(self) -> None:
        if self.disk.left_behind:
            with sqlite3.connect(self._path, isolation_level=None) as connection:
                self.disk.surface(connection)
                self.witness.look(connection)
            connection.close()
            self._see(Gone())

    def _spoil(self, journal: Journal) -> None:
        real = journal._connection
        connection = BadConnection(
            real, self.disk, self._kills, lambda: self.witness.look(real), self.witness.refused, self._wait
        )
        journal._connection = cast(sqlite3.Connection, connection)

    def _wait(self, ms: int) -> None:
        self.now_ms += ms

    def _wire(self, port: str, _baud: int) -> Wire:
        line = self.shoe_line if port == SHOE_PORT else self.panel_line
        return GuardedWire(port, line.cable, self._kills)

    def _die(self, where: str) -> None:
        self._tell(f"killed {where}")
        self.tally.kills += 1
        self._end_program()
        self._kills.draw() if not self._is_calm and self.troubles.kills else self._kills.stop()
        if not self.troubles.keeps_line:
            self.shoe_line.forget_inbox()
            self.panel_line.forget_inbox()
        self._start_ms = self.now_ms + self._chance.choice((50, 300, 2_000, 8_000))

    def _end_program(self) -> None:
        """All of it is gone but what is on the disk."""
        journal, self._journal, self._loop, self._desk = self._journal, None, None, None
        if journal is not None:
            journal._connection.close()
            journal._head.close()
        with suppress(DiskTrouble):
            self._closing.close()
        self._see(Gone())

    def _stop(self) -> None:
        """Somebody ends the program in good order (SIGTERM)."""
        loop, journal = self._loop, self._journal
        if loop is None or journal is None:
            return

        def end() -> None:
            self._tell("is asked to end")
            loop.run(lambda: True)
            with suppress(DiskTrouble):
                journal.close()
            self._end_program()
            self._start_ms = self.now_ms + 500

        self._guarded(end)

    # What goes wrong by the minute.

    def _minute(self) -> None:
        """Each trouble strikes in this minute or not."""
        self._minute_ms = self.now_ms + self._chance.randrange(1, MINUTE_MS // 6)
        troubles, roll = self.troubles, self._chance.random
        if self._disk_well_ms is not None and self.now_ms >= self._disk_well_ms:
            self.disk.full, self.disk.slow_ms, self._disk_well_ms = False, 0, None
        if self.now_ms > CALM_AFTER_MS and not self._is_calm:
            self._is_calm = True
            calm(troubles)
            self._set_lines()
            self._kills.stop()
            self.disk.full, self.disk.slow_ms, self.disk.fails_next = False, 0, False
            self._tell("all is well from now on")
        share = 1 / 12
        if roll() < troubles.unplugs * share:
            self._unplug(self.shoe_line, "shoe")
        if roll() < troubles.panel_unplugs * share:
            self._unplug(self.panel_line, "panel")
        if roll() < troubles.panel_power * share:
            self._tell("panel off and on")
            self._panel.restart(self._hex(), self.now_ms)
        if roll() < troubles.shoe_power * share and self._may_restart():
            self.device_order("power")
        if roll() < troubles.disk * share:
            self._spoil_disk()
        if roll() < troubles.clock_jumps * share:
            self._utc_jump_s += self._chance.choice((3600, -3600, 86400, -90, 4 * 10**8, -(4 * 10**8), 0.5))
        if roll() < troubles.stops * share:
            self._stop()

    def _may_restart(self) -> bool:
        """Whether the shoe takes a restart for no more than that: with the cut card out it takes it for its change."""
        in_coup = self.device.coup_is_on()
        return self.device.cards_left() > 0 and (in_coup or not self.device.cut_card_is_out())

    def _unplug(self, line: BadLine, name: str) -> None:
        if line.is_plugged:
            for_ms = self._chance.choice((5, 80, 700, 5_000, 20_000))
            self._tell(f"{name} unplugged for {for_ms} ms")
            line.unplug(for_ms, self.now_ms)

    def _spoil_disk(self) -> None:
        match self._chance.randrange(4):
            case 0:
                self.disk.fails_next = True
            case 1:
                self.disk.slow_ms = self._chance.choice((200, 2_000, 5_000))
            case _:
                self.disk.full = True
        self._disk_well_ms = self.now_ms + self._chance.randrange(500, 60_000)
        self._tell(f"disk: full {self.disk.full}, slow {self.disk.slow_ms} ms, fails next {self.disk.fails_next}")

    # What is seen.

    def _shown(self, picture: PanelPicture, now_ms: int) -> None:
        self._kills.here("before a display")
        self._see(Shown(picture, now_ms))

    def _answered(self, request: Request, answer: Mapping[str, object]) -> None:
        if request.do != "state":
            self._tell(f"answered {request.id}: {answer}")
        self._see(Answered(request.do, request.id, answer))
        if self._chance.random() < LOST_ANSWERS and not self._is_calm:
            return
        self.people.answered(request.id, dict(answer))

    def _followed(self, event: Mapping[str, object]) -> None:
        seq = event["seq"]
        assert isinstance(seq, int)
        self._cursor = seq
        self._see(Followed(event))

    def _told(self, event: Event) -> None:
        self._see(Told(event))

    def _see(self, what: Happening) -> None:
        if isinstance(what, Recorded):
            self._recorded(what)
        self._watching.see(what)
        if isinstance(what, Recorded):
            self._cleared(what)

    def _recorded(self, record: Recorded) -> None:
        self.tally.inputs += 1
        names = [type(event).__name__ for event in record.events]
        self.tally.coups += names.count("CoupSettled")
        for event in record.events:
            if isinstance(event, TableHeld):
                self.tally.holds += 1
                reason = event.reason.value
                self.tally.reasons[reason] = self.tally.reasons.get(reason, 0) + 1
        self._tell(f"{record.what} -> {record.after.phase.value}: {' '.join(names)}")

    def _cleared(self, record: Recorded) -> None:
        """When a coup or a shoe is over before its time, the table is cleared of what was heard of."""
        if any(isinstance(event, CoupVoided | ShoeEnded) for event in record.events) and not record.after.hands.player:
            complete = self.truth.is_complete()
            self.truth.sweep()
            if not record.quiet and not complete:
                self.truth.is_murky = True

    def _tell(self, line: str) -> None:
        line = f"{self.now_ms / 1000:10.3f} {line}".replace(str(self._folder), "")
        self._digest.update(line.encode())
        if self._story is not None:
            self._story(line)

    def _finish(self) -> None:
        self._end_program()
        with JournalReader(self._path) as reader:
            *_, verdict = verify(reader)
            *_, again = replay(reader)
        journal = Journal.open(self._path, self._file.rules.table, self._file.rules.simulation)
        replayed = rebuilt(journal, self._file.rules)
        journal.close()
        self._see(Ended(verdict.difference or again.difference, replayed))


def run_seed(seed: int, story: Callable[[str], None] | None = None) -> Tally:
    """One run in a folder of its own, in memory where there is such a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="punto-seed-", dir=memory if memory.is_dir() else None) as folder:
        return World(seed, Path(folder), story).run()


def _place(fault: BaseException) -> str:
    at, last = fault.__traceback__, ""
    while at is not None:
        last = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno} < {last}"[:200]
        at = at.tb_next
    return last
