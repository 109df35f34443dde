"""The Angel Eye II-EX compatible shoe on a cable that can be pulled."""

import pytest

from drivers.contracts import (
    CardDrawn,
    CardShoe,
    FramesDamaged,
    LinkDown,
    LinkUp,
    Report,
    ReportLost,
    ReportUnconfirmed,
    WireRefused,
)
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.shoes.angel_eye_codec import encode_report
from drivers.wires import MemoryWire, memory_pair

P1, B1, P2 = CardDrawn("player", 1, "8S"), CardDrawn("banker", 1, "KC"), CardDrawn("player", 2, "TH")
PATIENCE_MS = 10_000


class Line:
    """A shoe driver, its cable, and the bare far end that the test writes to."""

    def __init__(self, last_confirmed: bytes | None = None) -> None:
        self.near, self.far = memory_pair()
        self.near.open(0)
        self.far.open(0)
        self.shoe: CardShoe = AngelEyeShoe(self.near, last_confirmed=last_confirmed)
        self.now_ms = 0

    def heard(self, data: bytes = b"") -> list[Report]:
        """Send and poll once, 10 ms later."""
        self.now_ms += 10
        assert not data or self.far.send(data, self.now_ms)
        return [one.report for one in self.shoe.poll(self.now_ms)]

    def unplug(self) -> list[Report]:
        self.far.unplug()
        return self.heard()

    def plug(self) -> list[Report]:
        """What is heard until both ends are back."""
        self.far.plug()
        reports: list[Report] = []
        until_ms = self.now_ms + PATIENCE_MS
        while not (self.near.is_up and self.far.is_up):
            assert self.now_ms < until_ms
            self.far.poll(self.now_ms)
            reports += self.heard()
        return reports


def copies(report: CardDrawn, seq: int, count: int) -> bytes:
    return encode_report(report, seq) * count


def test_cards_come_from_the_wire() -> None:
    line = Line()
    assert line.heard(copies(P1, 1, 3) + copies(B1, 2, 1)) == [P1]
    assert line.heard(copies(B1, 2, 2)) == [B1]
    assert (line.shoe.frames_good, line.shoe.frames_damaged) == (6, 0)
    assert [trace.meaning for trace in line.shoe.trace()] == ["1 player 1: 8S"] * 3 + ["2 banker 1: KC"] * 3


def test_fault_1_a_lost_link_is_told_once_and_so_is_its_return() -> None:
    line = Line()
    line.heard(copies(P1, 1, 3))
    (down,) = line.unplug()
    assert isinstance(down, LinkDown)
    assert "unplugged" in down.trouble
    assert down.trouble.isprintable()
    assert line.heard() == []
    assert line.plug() == [LinkUp()]
    assert line.heard(copies(P1, 1, 1) + copies(B1, 2, 3)) == [B1]


def test_fault_3_what_came_before_the_unplug_is_told_before_it() -> None:
    line = Line()
    line.far.send(copies(P1, 1, 2), 0)
    card, down = line.unplug() + line.heard() + line.heard()
    assert (card, type(down)) == (P1, LinkDown)


@pytest.mark.parametrize("cut", range(1, 24))
def test_fault_4_unplugged_at_every_byte_of_three_copies_no_card_is_wrong_or_doubled(cut: int) -> None:
    line = Line()
    line.heard(copies(P1, 1, 3))
    stream = copies(B1, 2, 3)
    before = line.heard(stream[:cut])
    assert isinstance(line.unplug()[-1], LinkDown)
    assert line.plug() in ([LinkUp()], [LinkUp(), FramesDamaged(1)], [LinkUp(), FramesDamaged(2)])
    after = line.heard(stream[cut:])
    copies_before, copies_after = cut // 8, 2 - (cut - 1) // 8
    assert before == ([B1] if copies_before >= 2 else [])
    assert after == ([B1] if copies_before < 2 and copies_after >= 2 else [])
    assert P2 in line.heard(copies(P2, 3, 3))


def test_single_copies_before_and_after_a_lost_link_do_not_add_up() -> None:
    line = Line()
    line.heard(copies(P1, 1, 3) + copies(B1, 2, 1))
    line.unplug()
    line.plug()
    assert line.heard(copies(B1, 2, 1)) == []
    assert line.heard(copies(P2, 3, 2)) == [ReportLost(2, 3), P2]


def test_the_last_confirmed_report_outlives_the_program() -> None:
    line = Line(last_confirmed=copies(P1, 1, 2))
    assert line.heard(copies(P1, 1, 1) + copies(B1, 2, 3)) == [B1]


def test_a_port_that_is_down_from_the_start_is_told_and_so_is_its_coming() -> None:
    near, far = memory_pair()
    far.unplug()
    with pytest.raises(WireRefused):
        near.open(0)
    near.keep_trying(0)
    shoe = AngelEyeShoe(near)
    assert [type(one.report) for one in shoe.poll(0)] == [LinkDown]
    far.plug()
    up_ms = shoe.deadline_ms()
    assert up_ms is not None
    assert [one.report for one in shoe.poll(up_ms)] == [LinkUp()]


def test_it_names_when_it_wants_to_be_polled_next() -> None:
    line = Line()
    assert line.shoe.deadline_ms() is None
    line.heard(copies(P1, 1, 1))
    assert line.shoe.deadline_ms() == 1_010
    line.now_ms = 1_000
    assert line.heard() == [ReportUnconfirmed("player 1: 8S")]
    assert line.shoe.deadline_ms() is None


def test_fault_20_a_flood_of_good_frames_is_taken_64_kib_a_poll() -> None:
    line = Line()
    burst = b"".join(copies(CardDrawn("player", 1, "8S"), seq, 3) for seq in range(1, 10))
    flood = burst * (65_536 // len(burst))
    assert len(line.heard(flood)) == flood.count(b"\x05") // 3
    assert len(line.shoe.trace()) <= 2_048


def test_a_link_that_comes_up_and_fails_within_one_poll_is_told_as_both() -> None:
    class Flashing(MemoryWire):
        def poll(self, now_ms: int) -> bytes:
            return b"\x05" if now_ms == 1 else b""

    near, _ = memory_pair()
    near.__class__ = Flashing
    shoe = AngelEyeShoe(near)
    assert [type(one.report) for one in shoe.poll(0)] == [LinkDown]
    assert [type(one.report) for one in shoe.poll(1)] == [LinkUp, LinkDown]
    assert shoe.frames_damaged == 1
