"""Under a service manager: the loop itself says that it is alive, so a hang shows; what came meanwhile is not lost."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.host.watchdog import ServiceManager
from tests.emulated.program import until
from tests.emulated.rig import Begin

PERIOD_MS = 600


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """What systemd listens with."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(tmp_path / "notify"))
    listening.settimeout(15)
    yield listening
    listening.close()


def environment(manager: socket.socket) -> dict[str, str]:
    return {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": str(PERIOD_MS * 1000)}


def waits_for(manager: socket.socket, word: str) -> None:
    while manager.recv(100) != word.encode():
        pass


def hears_nothing(manager: socket.socket, for_s: float) -> bool:
    manager.setblocking(False)
    try:
        while manager.recv(100):
            pass
    except BlockingIOError:
        manager.settimeout(for_s)
    try:
        return not manager.recv(100)
    except TimeoutError:
        return True
    finally:
        manager.settimeout(15)


def test_ready_alive_and_stopping_are_told(begin: Begin, manager: socket.socket) -> None:
    rig = begin()
    rig.launch(environment=environment(manager))
    rig.ready()
    waits_for(manager, "READY=1")
    for _ in range(3):
        waits_for(manager, "WATCHDOG=1")
    assert rig.stop().code == 0
    waits_for(manager, "STOPPING=1")


def test_a_hung_program_is_silent_and_goes_on_in_order_when_it_is_let(begin: Begin, manager: socket.socket) -> None:
    """Fault 47."""
    rig = begin()
    rig.launch(environment=environment(manager))
    rig.ready()
    rig.begins_shoe()
    rig.does("close-bets")
    waits_for(manager, "WATCHDOG=1")
    rig.program.signal(signal.SIGSTOP)
    rig.shoe.draws(4)
    until(rig.shoe.is_silent)
    assert hears_nothing(manager, 3 * PERIOD_MS / 1000)
    rig.program.signal(signal.SIGCONT)
    waits_for(manager, "WATCHDOG=1")
    rig.cards_out(4)
    state = rig.state()
    assert (state["player"], state["banker"], state["held"]) == (["2H", "2S"], ["3C", "KD"], None)
    until(lambda: rig.state()["links"] == {"shoe": "up", "display": "up"})
    rig.panel.shows(phase="player-rule", p="2H,2S", b="3C,KD")
    rig.verifies()


def test_a_hung_program_that_is_killed_instead_comes_back_where_it_was(begin: Begin, manager: socket.socket) -> None:
    """Fault 47: what the manager does when it hears nothing."""
    rig = begin()
    rig.launch(environment=environment(manager))
    rig.ready()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.draws(1)
    rig.cards_out(1)
    rig.program.signal(signal.SIGSTOP)
    rig.shoe.draws(2)
    until(rig.shoe.is_silent)
    rig.kill()
    rig.launch(environment=environment(manager))
    assert rig.ready() == "dealing"
    waits_for(manager, "READY=1")
    rig.cards_out(3)
    assert rig.state()["held"] is None
    rig.verifies()


def test_without_a_manager_nothing_is_told_and_nothing_is_due() -> None:
    alone = ServiceManager({})
    alone.ready()
    alone.alive(0)
    alone.stopping()
    assert alone.deadline_ms() is None


@pytest.mark.parametrize(
    "asked",
    [{}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "soon"}, {"WATCHDOG_USEC": "9000000", "WATCHDOG_PID": "1"}],
)
def test_a_manager_that_does_not_watch_this_process(asked: dict[str, str], manager: socket.socket) -> None:
    told = ServiceManager({"NOTIFY_SOCKET": manager.getsockname()} | asked)
    assert told.deadline_ms() is None
    told.alive(0)
    told.ready()
    assert manager.recv(100) == b"READY=1"


def test_it_tells_three_times_a_period_and_no_more(manager: socket.socket) -> None:
    told = ServiceManager(environment(manager) | {"WATCHDOG_PID": str(os.getpid())})
    for now_ms in range(0, PERIOD_MS, 50):
        told.alive(now_ms)
    told.stopping()
    assert [manager.recv(100) for _ in range(4)] == [b"WATCHDOG=1"] * 3 + [b"STOPPING=1"]


def test_a_manager_without_a_name_in_the_file_system_and_one_that_went_away() -> None:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(f"\0punto-test-{os.getpid()}")
    told = ServiceManager({"NOTIFY_SOCKET": f"@punto-test-{os.getpid()}"})
    told.ready()
    assert listening.recv(100) == b"READY=1"
    listening.close()
    told.ready()
