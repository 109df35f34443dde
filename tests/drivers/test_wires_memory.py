"""The cable in memory, and with it what every wire does: the channel below it is the only thing that differs."""

import errno

import pytest

from drivers.contracts import Wire, WireRefused
from drivers.wires import memory_pair
from drivers.wires_stream import StreamWire

KIB_64 = 64 * 1024


def opened_pair() -> tuple[Wire, Wire]:
    near, far = memory_pair()
    near.open(0)
    far.open(0)
    return near, far


def test_bytes_pass_both_ways_unchanged() -> None:
    near, far = opened_pair()
    everything = bytes(range(256))
    assert near.send(everything, 0)
    assert far.send(everything[::-1], 0)
    assert far.poll(1) == everything
    assert near.poll(1) == everything[::-1]
    assert near.poll(2) == b""


def test_what_was_sent_before_the_far_end_opened_waits_for_it() -> None:
    near, far = memory_pair()
    near.open(0)
    near.send(b"early", 0)
    far.open(5)
    assert far.poll(6) == b"early"


def test_an_end_that_is_not_open_takes_and_gives_nothing() -> None:
    near, _ = memory_pair("shoe")
    assert not near.is_up
    assert near.trouble == "shoe: not opened yet"
    assert not near.send(b"x", 0)
    assert near.poll(0) == b""
    assert near.deadline_ms() is None
    assert near.fileno() is None


def test_bytes_before_an_unplug_are_kept() -> None:  # fault 3, pyserial #86, #341
    near, far = memory_pair("shoe")
    near.open(0)
    far.open(0)
    far.send(b"the last card", 1)
    near.unplug()
    assert near.poll(2) == b"the last card"
    assert not near.is_up
    assert near.trouble == "shoe: unplugged; check the cable"


def test_a_write_that_fails_does_not_cost_what_can_still_be_read() -> None:  # fault 3
    near, far = memory_pair()
    near.open(0)
    far.open(0)
    far.send(b"card", 1)
    near.unplug()
    near.send(b"command", 1)
    assert near.poll(2) == b"card"
    assert not near.is_up
    assert near.waiting_out() == 0


def test_a_port_that_is_back_is_found_without_being_asked() -> None:  # fault 1
    near, far = memory_pair()
    near.open(0)
    far.open(0)
    near.unplug()
    near.poll(1_000)
    assert not near.is_up
    near.plug()
    assert near.poll(1_099) == b""
    assert not near.is_up
    near.poll(1_100)
    assert near.is_up
    assert near.trouble == ""
    far.poll(1_000)
    far.poll(1_200)
    assert far.send(b"again", 1_200)
    assert near.poll(1_201) == b"again"


def test_the_tries_come_ever_more_slowly_up_to_two_seconds() -> None:
    near, _ = memory_pair()
    near.open(0)
    near.unplug()
    near.poll(0)
    waits = []
    now_ms = 0
    for _ in range(7):
        due_ms = near.deadline_ms()
        assert due_ms is not None
        waits.append(due_ms - now_ms)
        now_ms = due_ms
        near.poll(now_ms)
    assert waits == [100, 200, 400, 800, 1_600, 2_000, 2_000]


def test_a_port_that_comes_and_goes_is_not_tried_faster_for_it() -> None:
    near, _ = memory_pair()
    near.open(0)
    now_ms = 0
    for wait_ms in (100, 200, 400):
        near.unplug()
        near.poll(now_ms)
        assert near.deadline_ms() == now_ms + wait_ms
        near.plug()
        now_ms += wait_ms
        near.poll(now_ms)
        assert near.is_up
    near.poll(now_ms + 2_000)
    near.unplug()
    near.poll(now_ms + 2_000)
    assert near.deadline_ms() == now_ms + 2_100  # it had held for two seconds


def test_an_unplugged_cable_is_refused_at_start_and_then_tried_when_asked_to() -> None:
    near, _ = memory_pair("shoe")
    near.unplug()
    with pytest.raises(WireRefused, match=r"^shoe: no such port; plug the cable in$"):
        near.open(0)
    assert near.deadline_ms() is None
    near.keep_trying(10)
    assert near.trouble == "shoe: no such port; plug the cable in"
    assert near.deadline_ms() == 10
    near.plug()
    near.poll(10)
    assert near.is_up


def test_a_far_end_that_does_not_read_makes_nobody_wait() -> None:  # fault 38, pyserial #163
    near, _ = opened_pair()
    assert near.send(b"a" * KIB_64, 0)  # in the cable
    assert near.send(b"b" * KIB_64, 0)  # waits
    assert near.waiting_out() == KIB_64
    assert not near.send(b"c", 0)
    assert near.waiting_out() == KIB_64
    assert near.deadline_ms() == 10


def test_a_write_that_took_a_part_goes_on_where_it_stopped() -> None:  # pyserial #582
    near, far = opened_pair()
    sent = bytes(number % 251 for number in range(2 * KIB_64))
    assert near.send(sent[:60_000], 0)
    assert near.send(sent[60_000:120_000], 0)
    assert near.send(sent[120_000:], 0)
    got = b""
    for now_ms in range(1, 10):
        got += far.poll(now_ms)
        near.poll(now_ms)
    assert got == sent
    assert near.deadline_ms() is None


def test_what_waited_when_the_port_failed_is_never_sent_to_the_next_one() -> None:  # fault 37
    near, far = memory_pair()
    near.open(0)
    far.open(0)
    near.send(b"a" * KIB_64, 0)
    near.send(b"half a picture", 0)
    near.unplug()
    near.poll(1)
    assert near.waiting_out() == 0
    near.plug()
    near.poll(200)
    assert len(far.poll(200)) == KIB_64
    far.poll(201)
    assert far.poll(500) == b""


def test_one_poll_returns_at_most_64_kib() -> None:  # fault 19
    near, far = opened_pair()
    near.send(b"a" * KIB_64, 0)
    near.send(b"b" * 10, 0)
    assert len(far.poll(1)) == KIB_64
    near.poll(1)
    assert far.poll(2) == b"b" * 10


def test_closing_twice_is_safe_and_ends_the_tries() -> None:
    near, _ = opened_pair()
    near.close()
    near.close()
    assert not near.is_up
    assert near.trouble == "memory: closed"
    assert near.deadline_ms() is None


class WritesFail:
    """A port that fails in every write and only looks idle to a reader."""

    def ready(self) -> bool:
        return True

    def read(self, size: int) -> bytes:
        raise BlockingIOError

    def write(self, data: bytes) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def fileno(self) -> int | None:
        return None

    def close(self) -> None:
        pass


def test_a_port_that_only_fails_in_writing_is_down_too() -> None:  # fault 37
    wire = StreamWire("display", WritesFail)
    wire.open(0)
    wire.send(b"picture", 1)
    assert not wire.send(b"picture", 2)
    assert wire.deadline_ms() is not None
    assert wire.poll(3) == b""
    assert not wire.is_up
    assert wire.trouble == "display: Input/output error; check the cable"
