"""From a table's file to a table at work: configuration, journal, the state as it was, ports, the control socket."""

import os
import secrets
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from controller.host.client import PathRefused, default_control_path, default_journal_path
from controller.host.config import TableFile, load_table
from controller.host.config_file import ConfigErrors
from controller.host.control import ControlRefused, ControlServer
from controller.host.journal import DiskTrouble, Journal, JournalRefused
from controller.host.journal_key import default_key_path, head_path
from controller.host.lines import shown
from controller.host.live_table import LiveTable
from controller.host.loop import TableLoop, clock_ms
from controller.host.record import RecordUnreadable, to_plain
from controller.host.recorded_rules import RecordedRules, texts_of
from controller.host.self_check import LEAST_FREE, free_bytes, little_room, structure_trouble, torn_bytes
from controller.host.simulated_hand import SimulatedHand
from controller.host.telling import TraceFile, TraceRefused, tell
from controller.host.watchdog import ServiceManager
from controller.identity import identity
from controller.table.events import Event
from controller.table.inputs import LinkState, ProgramStarted, RecordBroken
from controller.table.machine import NO_SHOE, SHOE_ENDED, TILT
from controller.table.rules import HouseRules
from controller.table.state import TableState, new_table
from controller.table.table import step
from drivers.contracts import CardShoe, TraceLine, Wire, WireRefused
from drivers.displays.panel import PanelDisplay
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.wires import wire_for

BOARDS_A_START = 10**9
"""Board numbers grow over program starts: each start has a range of its own."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line says beside the table's file; None takes the default."""

    table_file: Path
    shoe_port: str | None = None
    display_port: str | None = None
    journal: Path | None = None
    control: Path | None = None
    trace: Path | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The world that a table starts in: how a port is found, the two clocks, chance, and who is told what happens."""

    wire: Callable[[str, int], Wire] = wire_for
    clock: Callable[[], int] = clock_ms
    utc_now: Callable[[], datetime] = lambda: datetime.now(UTC)
    random_bits: Callable[[int], int] = secrets.randbits
    tell: Callable[[Event], None] = tell
    watchdog: ServiceManager | None = None


class CannotStart(Exception):
    """Why a table does not begin: ready to print, one line a mistake."""


def run_table(options: RunOptions) -> None:
    """Run a table until SIGTERM or SIGINT. Raises CannotStart when it cannot begin, Crashed for a fault of ours."""
    try:
        _run(options)
    except (ConfigErrors, JournalRefused, ControlRefused, WireRefused, PathRefused, TraceRefused) as why:
        raise CannotStart(str(why)) from None
    except DiskTrouble as trouble:
        raise CannotStart(trouble.text) from None


def _run(options: RunOptions) -> None:
    file = load_table(options.table_file, shoe_port=options.shoe_port, display_port=options.display_port)
    for warning in file.warnings:
        print(warning, file=sys.stderr)
    rules = file.rules
    with ExitStack() as closing:
        path = options.journal or default_journal_path(rules.table)
        manager = ServiceManager(os.environ)
        around = Surroundings(watchdog=manager)
        key = file.journal_key or default_key_path(os.path.realpath(path), rules.table)
        trace = TraceFile(options.trace, _own_files(options, file, path, key)) if options.trace is not None else None
        if trace:
            closing.callback(trace.close)
        control = None
        is_new, had_key = not os.path.exists(path), os.path.lexists(key)
        if is_new:  # what may refuse a start comes before a new journal, so that none is left
            control = _control(closing, options, rules)
            around = _with_ports_open(closing, around, file)
        journal = Journal.look(path, rules.table, rules.simulation, file.journal_key)
        closing.callback(_close, journal)
        state = _looked_at(journal, rules)
        control = control or _control(closing, options, rules)
        loop = begun(closing, around, file, journal, state, control, trace.write if trace else None)
        with _signals() as (wake, stopped):
            loop.wake_on(wake)
            phase = loop.state.phase.value
            print(f"ready table={rules.table} phase={phase} control={control.path}", file=sys.stderr, flush=True)
            if is_new:  # after the line that says ready, which whoever started the program may wait for first
                _tell_of_new(journal.path, key, had_key)
            manager.ready()
            loop.run(stopped)
            manager.stopping()


def _tell_of_new(journal: str, key: Path, had_key: bool) -> None:
    """A journal that begins is said: whoever expected an older one to go on must see it."""
    before = f"; its key {shown(str(key))} is older: if this table had a journal here, find that one" if had_key else ""
    print(f"journal {shown(journal)} is new: record 1 begins it{before}", file=sys.stderr)


def _own_files(options: RunOptions, file: TableFile, named: Path, key: Path) -> list[Path]:
    """What this table is read from and written to. A journal may be named by a link: what is beside it is not there."""
    journal = Path(os.path.realpath(named))
    beside = [journal.with_name(f"{journal.name}{end}") for end in ("-wal", "-shm", "-journal")]
    read = [options.table_file, *(Path(source.path) for source in file.sources)]
    return [*read, journal, *beside, key, head_path(key, str(journal))]


def _control(closing: ExitStack, options: RunOptions, rules: HouseRules) -> ControlServer:
    control = ControlServer(options.control or default_control_path(rules.table))
    closing.callback(control.close)
    return control


def _with_ports_open(closing: ExitStack, around: Surroundings, file: TableFile) -> Surroundings:
    """Surroundings in which the table's ports are open already; nothing is sent. Raises WireRefused."""
    now_ms = around.clock()
    ports: dict[str, Wire] = {}
    for device in (file.shoe, file.display):
        if device.port is not None:
            wire = ports[device.port] = around.wire(device.port, device.baud)
            wire.open(now_ms)
            closing.callback(wire.close)
    return replace(around, wire=lambda url, baud: ports.pop(url, None) or around.wire(url, baud))


def _looked_at(journal: Journal, rules: HouseRules) -> TableState:
    """The state that the journal bears. Only a journal that bears one is written to from now on."""
    if torn := torn_bytes(journal.path):
        where = shown(journal.path)
        print(f"journal {where}: the last write was cut off, its {torn} bytes are left out", file=sys.stderr)
    trouble = journal.trouble or structure_trouble(journal.looking(), journal.path)
    state = rebuilt(journal, rules, trouble)
    if state.phase is not TILT:
        journal.begin_writing()
        if line := little_room(free_bytes(journal.path), journal.path):
            print(line, file=sys.stderr)
    return state


def _close(journal: Journal) -> None:
    """A disk that fails at the very end costs stray bytes of the trace, nothing else."""
    try:
        journal.close()
    except DiskTrouble as trouble:
        print(trouble.text, file=sys.stderr)


def begun(
    closing: ExitStack,
    around: Surroundings,
    file: TableFile,
    journal: Journal,
    state: TableState,
    control: ControlServer,
    trace: Callable[[TraceLine], None] | None = None,
) -> TableLoop:
    """The loop around the table, its ports open and its start on disk. In tilt the journal is not written any more."""
    now_ms = around.clock()
    tilted = state.phase is TILT
    last_confirmed = None if tilted else journal.last_confirmed()
    in_play = state.phase not in (NO_SHOE, SHOE_ENDED)
    hand = None
    if file.shoe.port is None:
        hand = SimulatedHand(file.rules, state, around.random_bits(32), now_ms)
        shoe: CardShoe = hand.shoe
    else:
        shoe_wire = _opened(around, file.shoe.port, file.shoe.baud, in_play, now_ms)
        closing.callback(shoe_wire.close)
        shoe = AngelEyeShoe(shoe_wire, file.shoe.copies, last_confirmed)
    display = None
    if file.display.port is not None:
        display_wire = _opened(around, file.display.port, file.display.baud, in_play, now_ms)
        closing.callback(display_wire.close)
        display = _panel(display_wire, file, f"{around.random_bits(32):08X}", 1 if tilted else journal.starts() + 1)
    live = LiveTable(journal, state, around.utc_now)
    if not tilted:
        _record_start(live, journal, file, shoe.wire.is_up, display is not None, now_ms)
    return TableLoop(
        live,
        journal,
        shoe,
        display,
        control,
        tell=around.tell,
        trace=trace,
        hand=hand,
        clock=around.clock,
        watchdog=around.watchdog,
    )


def _opened(around: Surroundings, url: str, baud: int, in_play: bool, now_ms: int) -> Wire:
    """The port, open; one that cannot be opened keeps trying when a shoe is in play. Raises WireRefused otherwise."""
    wire = around.wire(url, baud)
    try:
        if not wire.is_up:
            wire.open(now_ms)
    except WireRefused as why:
        if not in_play:
            raise
        print(f"{why} (a shoe is in play: trying again)", file=sys.stderr)
        wire.keep_trying(now_ms)
    return wire


def _panel(wire: Wire, file: TableFile, start_id: str, start: int) -> PanelDisplay:
    rules = file.rules
    return PanelDisplay(
        wire,
        table=rules.name,
        lang=rules.language,
        simulated=rules.simulation,
        start_id=start_id,
        first_board=start * BOARDS_A_START,
        baud=file.display.baud,
    )


def _record_start(
    live: LiveTable, journal: Journal, file: TableFile, shoe_is_up: bool, has_display: bool, now_ms: int
) -> None:
    """The start itself is an input: with which rules, and how the lines are. A display is up once it answers."""
    if (free := free_bytes(journal.path)) < LEAST_FREE:
        live.disk_failed(little_room(free, journal.path), now_ms)
    journal.add_configuration(file.rules.identity, texts_of(file))
    shoe_link = LinkState.UP if shoe_is_up else LinkState.DOWN
    display_link = LinkState.DOWN if has_display else LinkState.NONE
    live.take(ProgramStarted(now_ms, file.rules, shoe_link=shoe_link, display_link=display_link, **identity()))


def rebuilt(journal: Journal, rules: HouseRules, trouble: str = "") -> TableState:
    """The state as the journal bears it; in tilt when what is recorded does not follow from what is recorded.

    `trouble` is one line when the file itself is known to be damaged.
    """
    state = new_table(rules)
    trouble = trouble or journal.trouble
    try:
        recorded_rules = RecordedRules(journal.configurations())
        recorded_rules.get(rules.identity)  # today's files, if they were kept before, must still be what was kept
        begun, records = journal.replay_from_last_shoe(recorded_rules)
        state = begun or state
        for seq, what, recorded in records:
            state, events = step(state, what)
            if [to_plain(event, "event") for event in events] != recorded:
                trouble = trouble or f"record {seq} of journal {journal.path} does not lead to what it records"
                break
    except (RecordUnreadable, ConfigErrors) as unreadable:
        trouble = trouble or str(unreadable).splitlines()[0]
    except (sqlite3.Error, AssertionError, KeyError, TypeError, ValueError, OverflowError) as wrong:
        trouble = trouble or f"journal {journal.path} cannot be followed ({type(wrong).__name__}: {wrong})"
    if trouble:
        print(f"tilt: {trouble} (punto journal verify {journal.path} says more)", file=sys.stderr)
        state, _ = step(state, RecordBroken(0, trouble))
    return state


@contextmanager
def _signals() -> Iterator[tuple[int, Callable[[], bool]]]:
    """SIGTERM and SIGINT as a flag and a readable descriptor; nothing else happens in a signal."""
    readable, writable = socket.socketpair()
    for end in (readable, writable):
        end.setblocking(False)
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda got, _: came.append(got)) for number in (signal.SIGTERM, signal.SIGINT)
    }
    old_wakeup = signal.set_wakeup_fd(writable.fileno(), warn_on_full_buffer=False)
    try:
        yield readable.fileno(), lambda: bool(came)
    finally:
        signal.set_wakeup_fd(old_wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        readable.close()
        writable.close()
