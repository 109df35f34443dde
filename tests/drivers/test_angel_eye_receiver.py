"""Receiving Angel Eye II-EX compatible reports: three copies, two of which agree, in an order that has no gaps."""

import random

import pytest

from drivers.contracts import (
    CardDrawn,
    CutCard,
    DeviceError,
    DeviceErrorCleared,
    FramesDamaged,
    Heard,
    LineUnreadable,
    OwnResult,
    PresetChanged,
    Report,
    ReportLost,
    ReportUnconfirmed,
    ShoeStart,
    StandBy,
)
from drivers.shoes.angel_eye_codec import encode_report
from drivers.shoes.angel_eye_fields import DeviceReport
from drivers.shoes.angel_eye_receiver import MOST_TRACED, Receiver

P1 = CardDrawn("player", 1, "8S")
B1 = CardDrawn("banker", 1, "KC")
P2 = CardDrawn("player", 2, "8S")
COUP: list[DeviceReport] = [
    ShoeStart(),
    CardDrawn("first", 1, "2H"),
    CardDrawn("burn", 1, None),
    CardDrawn("burn", 2, "9D"),
    P1,
    B1,
    P2,
    CardDrawn("banker", 2, "3H"),
    CardDrawn("player", 3, "TH"),
    CutCard(),
    CardDrawn("banker", 3, "AD"),
    OwnResult("tie", "both"),
    PresetChanged("01 ~\\x80\\xff"),
]


def sent(reports: list[DeviceReport], first: int = 1, copies: int = 3) -> bytes:
    """All copies of all reports, numbered on from `first`."""
    return b"".join(encode_report(report, (first - 1 + n) % 9 + 1) * copies for n, report in enumerate(reports))


def reports(heard: list[Heard]) -> list[Report]:
    return [one.report for one in heard]


def test_fault_8_three_copies_count_once_and_carry_the_two_that_agreed() -> None:
    receiver = Receiver()
    frame = encode_report(P1, 2)
    assert receiver.feed(frame, 0) == []
    assert receiver.feed(frame, 50) == [Heard(P1, frame + frame, 50)]
    assert receiver.feed(frame, 100) == []
    assert receiver.tick(10_000) == []
    assert (receiver.frames_good, receiver.frames_damaged) == (3, 0)


def test_fault_17_many_frames_in_one_read_are_the_same_reports() -> None:
    assert reports(Receiver().feed(sent(COUP), 0)) == COUP


@pytest.mark.parametrize("tail", [b"", b"\x05", b"\x052D\x81", b"junk", b"\x05" * 9])
def test_fault_16_byte_by_byte_and_with_a_tail_the_same_reports_come(tail: bytes) -> None:
    receiver = Receiver()
    stream = sent(COUP) + tail
    heard = [one for at, byte in enumerate(stream) for one in receiver.feed(bytes([byte]), at * 2)]
    assert reports(heard) == COUP
    assert receiver.frames_damaged == max(tail.count(b"\x05") - 1, 0)


@pytest.mark.parametrize("seed", range(20))
def test_fault_16_slow_drips_with_gaps_up_to_half_a_second_confirm_the_same_reports(seed: int) -> None:
    chance = random.Random(seed)
    receiver = Receiver()
    heard: list[Report] = []
    at, now_ms, stream = 0, 0, sent(COUP)
    while at < len(stream):
        step = chance.randint(1, 5)
        heard += reports(receiver.feed(stream[at : at + step], now_ms) + receiver.tick(now_ms))
        at += step
        now_ms += chance.randint(0, 500)
    assert [report for report in heard if not isinstance(report, ReportUnconfirmed)] == COUP


@pytest.mark.parametrize("junk", [b"\x00", b"\x11\x13", b"\xff" * 5, b"\x03", b"61\x0361", b"\x02OPLK02\x031B"])
def test_garbage_between_frames_costs_nothing_but_is_counted(junk: bytes) -> None:
    """Faults 33 and 14: NUL, FF, XON, XOFF and loose ends between, before and after."""
    receiver = Receiver()
    frames = [encode_report(report, seq % 9 + 1) for seq, report in enumerate(COUP) for _ in range(3)]
    assert reports(receiver.feed(junk + junk.join(frames) + junk, 0)) == COUP
    receiver.tick(50)
    assert receiver.frames_damaged == len(frames) + 1


@pytest.mark.parametrize("at", range(1, 8))
def test_fault_18_enq_inside_a_frame_starts_anew_and_the_next_copy_is_not_lost(at: int) -> None:
    receiver = Receiver()
    frame = encode_report(P1, 2)
    torn = frame[:at] + b"\x05"
    assert reports(receiver.feed(torn + frame + torn + frame, 0)) == [P1]
    assert receiver.frames_damaged == 4


def test_fault_18_a_missing_end_costs_that_copy_only() -> None:
    receiver = Receiver()
    one, two = encode_report(P1, 2), encode_report(B1, 3)
    without_etx = one.replace(b"\x03", b"")
    assert reports(receiver.feed(without_etx + one * 2 + without_etx + two * 2, 0)) == [P1, B1]


@pytest.mark.untraced
def test_fault_19_ten_megabytes_without_an_end_keep_next_to_nothing_and_pass() -> None:
    receiver = Receiver()
    told: list[Report] = []
    for now_ms in range(160):
        told += reports(receiver.feed(b"\x05" + b"A" * 65_535, now_ms))
    assert told == [LineUnreadable(20)]
    assert len(receiver.trace()) == MOST_TRACED
    assert reports(receiver.feed(sent([P1]), 200)) == [P1]
    assert reports(receiver.tick(1_200)) == [FramesDamaged(receiver.frames_damaged)]


def test_fault_9_two_damaged_copies_of_three_give_no_card() -> None:
    receiver = Receiver()
    frame = encode_report(P1, 2)
    spoilt = frame.replace(b"\xb8", b"\xb9")
    assert receiver.feed(spoilt + frame + spoilt, 0) == []
    assert receiver.frames_damaged == 2


def test_a_copy_that_stays_alone_is_told_after_a_second_and_still_confirmed_later() -> None:
    receiver = Receiver()
    frame = encode_report(P1, 2)
    receiver.feed(frame, 100)
    assert receiver.deadline_ms() == 1_100
    assert receiver.tick(1_099) == []
    assert receiver.tick(1_100) == [Heard(ReportUnconfirmed("player 1: 8S"), b"", 1_100)]
    assert receiver.tick(9_000) == []
    assert receiver.deadline_ms() is None
    assert receiver.feed(frame, 60_000) == [Heard(P1, frame + frame, 60_000)]


def test_a_second_copy_that_waited_in_the_kernel_comes_before_the_alarm() -> None:
    """Fault 47: the program stood still for thirty seconds."""
    receiver = Receiver()
    frame = encode_report(P1, 2)
    receiver.feed(frame, 0)
    assert reports(receiver.feed(frame * 2, 30_000) + receiver.tick(30_000)) == [P1]


def test_damage_that_passes_the_checksum_is_outvoted_and_counted() -> None:
    receiver = Receiver()
    right, wrong = encode_report(P1, 2), encode_report(CardDrawn("player", 1, "9S"), 2)
    assert reports(receiver.feed(wrong + right * 2, 0)) == [P1]
    assert receiver.frames_damaged == 1
    assert reports(receiver.tick(5_000)) == [FramesDamaged(1)]


def test_at_most_four_kinds_of_copies_wait_and_the_oldest_gives_way() -> None:
    receiver = Receiver()
    kinds = [encode_report(CardDrawn("player", 1, card), 2) for card in ("AS", "2S", "3S", "4S", "5S")]
    assert receiver.feed(b"".join(kinds), 0) == []
    assert receiver.frames_damaged == 1
    assert receiver.feed(kinds[0], 1) == []
    assert reports(receiver.feed(kinds[4], 2)) == [CardDrawn("player", 1, "5S")]
    assert receiver.frames_damaged == 5


def test_late_fourth_copies_are_only_counted() -> None:
    receiver = Receiver()
    frame = encode_report(P1, 2)
    assert reports(receiver.feed(frame * 3, 0) + receiver.feed(frame * 2, 3_600_000)) == [P1]
    assert receiver.tick(3_700_000) == []
    assert receiver.frames_good == 5


def test_fault_11_the_count_wraps_from_nine_to_one() -> None:
    cards: list[DeviceReport] = [CardDrawn("burn", index, "8S") for index in range(1, 11)] * 4
    assert reports(Receiver().feed(sent(cards, first=7), 0)) == cards


def test_fault_10_a_jump_of_the_count_is_told_before_the_report_itself() -> None:
    receiver = Receiver()
    assert reports(receiver.feed(sent([P1], 8) + sent([P2], 1), 0)) == [P1, ReportLost(9, 1), P2]
    assert reports(receiver.feed(sent([B1], 2), 0)) == [B1]


def test_the_same_number_with_other_bytes_is_a_jump() -> None:
    assert reports(Receiver().feed(sent([P1], 4) + sent([B1], 4), 0)) == [P1, ReportLost(5, 4), B1]


def test_fault_13_swapped_reports_are_told_as_lost() -> None:
    heard = Receiver().feed(sent([P1], 1) + sent([P2], 3) + sent([B1], 2), 0)
    assert reports(heard) == [P1, ReportLost(2, 3), P2, ReportLost(4, 2), B1]


@pytest.mark.parametrize("before", [ShoeStart(), DeviceError(1, True), DeviceErrorCleared(1)])
@pytest.mark.parametrize("number", [6, 5, 1])
def test_fault_11_after_a_restart_or_an_error_the_count_may_begin_anew(before: DeviceReport, number: int) -> None:
    assert reports(Receiver().feed(sent([before], 5) + sent([P1], number), 0)) == [before, P1]


@pytest.mark.parametrize("number", [2, 3, 4, 7, 8, 9])
def test_other_numbers_after_a_restart_are_a_loss(number: int) -> None:
    heard = Receiver().feed(sent([ShoeStart()], 5) + sent([P1], number), 0)
    assert reports(heard) == [ShoeStart(), ReportLost(6, number), P1]


def test_fault_11_the_restart_itself_may_be_number_one() -> None:
    assert reports(Receiver().feed(sent([P1], 5) + sent([ShoeStart(), P2]), 0)) == [P1, ShoeStart(), P2]
    assert reports(Receiver().feed(sent([P1], 5) + sent([ShoeStart()], 4), 0)) == [P1, ReportLost(6, 4), ShoeStart()]


def test_an_equal_start_is_another_restart_only_a_second_after_the_last_copy() -> None:
    receiver = Receiver()
    start = encode_report(ShoeStart(), 1)
    assert reports(receiver.feed(start * 3, 0) + receiver.feed(start, 1_000)) == [ShoeStart()]
    assert receiver.feed(start, 2_000) == []  # still within a second of the copy before
    assert receiver.feed(start, 3_001) == []
    assert reports(receiver.feed(start, 3_051) + receiver.feed(start, 3_101)) == [ShoeStart()]
    assert receiver.tick(9_000) == []


def test_an_equal_standby_is_never_a_new_one() -> None:
    receiver = Receiver()
    assert reports(receiver.feed(sent([StandBy()]), 0) + receiver.feed(sent([StandBy()]), 99_000)) == [StandBy()]


@pytest.mark.parametrize("joined", [1, 2])
def test_after_a_program_start_the_journal_says_what_was_confirmed_last(joined: int) -> None:
    receiver = Receiver(last_confirmed=encode_report(P1, 2) * joined)
    assert reports(receiver.feed(sent([P1], 2) + sent([B1], 3), 0)) == [B1]
    receiver = Receiver(last_confirmed=encode_report(P1, 2) * joined)
    assert reports(receiver.feed(sent([B1], 4), 0)) == [ReportLost(3, 4), B1]


@pytest.mark.parametrize("none", [None, b"", b"[Game]<Card:4S>", b"\x05\x05"])
def test_without_a_last_report_any_number_is_right(none: bytes | None) -> None:
    assert reports(Receiver(last_confirmed=none).feed(sent([P1], 7), 0)) == [P1]


def test_a_start_right_after_the_program_start_is_the_one_already_confirmed() -> None:
    start = encode_report(ShoeStart(), 1)
    receiver = Receiver(last_confirmed=start)
    assert receiver.feed(start * 2, 500_000) == []
    assert reports(receiver.feed(start * 3, 501_001)) == [ShoeStart()]


def test_a_unit_that_sends_once_is_believed_at_once() -> None:
    receiver = Receiver(copies=1)
    frame = encode_report(P1, 2)
    assert receiver.feed(frame, 0) == [Heard(P1, frame, 0)]
    assert reports(receiver.feed(frame + sent([B1], 3, copies=1) + sent([P2], 5, copies=1), 1)) == [
        B1,
        ReportLost(4, 5),
        P2,
    ]


def test_a_lost_line_forgets_single_copies_but_not_what_was_confirmed() -> None:
    receiver = Receiver()
    receiver.feed(sent([P1], 2) + sent([B1], 3, copies=1), 0)
    assert receiver.line_lost(10) == []
    assert reports(receiver.feed(sent([P1], 2), 20)) == []
    assert reports(receiver.feed(sent([B1], 3, copies=1), 30)) == []
    assert reports(receiver.feed(sent([B1], 3, copies=1), 40)) == [B1]
    assert receiver.frames_damaged == 1


@pytest.mark.parametrize("cut", range(1, 8))
def test_fault_4_a_frame_cut_by_an_unplug_is_traced_and_no_card(cut: int) -> None:
    receiver = Receiver()
    frame = encode_report(P1, 2)
    receiver.feed(frame[:cut], 0)
    receiver.line_lost(1)
    assert receiver.feed(frame[cut:], 2) == []
    lines = receiver.trace()
    assert (lines[0].data, lines[0].meaning, lines[0].damaged) == (frame[:cut], "frame without end", True)
    assert reports(receiver.feed(frame * 2, 3)) == [P1]


@pytest.mark.parametrize("seed", range(10))
def test_fault_32_noise_is_told_within_five_seconds_and_only_once(seed: int) -> None:
    chance = random.Random(seed)
    receiver = Receiver()
    told: list[Heard] = []
    for now_ms in range(0, 20_000, 100):
        told += receiver.feed(chance.randbytes(48), now_ms)
    assert [(type(one.report), one.raw) for one in told] == [(LineUnreadable, b"")]
    assert told[0].at_ms < 5_000


def test_fault_32_short_bursts_of_another_speed_count_one_each() -> None:
    """No ENQ at all: what a report looks like at twice its speed."""
    receiver = Receiver()
    told: list[Report] = []
    for now_ms in range(0, 2_000, 100):
        told += reports(receiver.feed(b"\x98\xe6\x00", now_ms))
        assert receiver.deadline_ms() == now_ms + 50
        told += reports(receiver.tick(now_ms + 50))
    assert LineUnreadable(20) in told


def test_one_good_frame_among_nineteen_bad_ones_keeps_the_line_readable() -> None:
    receiver = Receiver()
    bad = b"\x05X\x0300"
    for now_ms in range(0, 30_000, 1_000):
        assert receiver.feed(bad * 19 + encode_report(P1, 2), now_ms) in ([], [Heard(P1, sent([P1], 2, 2), now_ms)])


def test_twenty_damaged_frames_in_more_than_five_seconds_are_no_unreadable_line() -> None:
    receiver = Receiver()
    for n in range(100):
        assert receiver.feed(b"\x05X\x0300", n * 264) == []


def test_the_line_is_unreadable_again_only_after_it_was_readable() -> None:
    receiver = Receiver()
    bad = b"\x05X\x0300" * 20
    assert reports(receiver.feed(bad + bad, 0)) == [LineUnreadable(20)]
    receiver.feed(encode_report(P1, 2), 10)
    assert reports(receiver.feed(bad, 20)) == [LineUnreadable(20)]


def test_damage_is_counted_at_most_once_a_second() -> None:
    receiver = Receiver()
    told: list[tuple[int, Report]] = []
    for now_ms in range(0, 3_500, 10):
        receiver.feed(b"\x05X\x0300" + encode_report(P1, 2), now_ms)
        told += [
            (one.at_ms, one.report) for one in receiver.tick(now_ms) if not isinstance(one.report, ReportUnconfirmed)
        ]
    assert told == [(1_000, FramesDamaged(101)), (2_010, FramesDamaged(101)), (3_020, FramesDamaged(101))]


def test_the_trace_says_what_every_frame_is() -> None:
    receiver = Receiver()
    receiver.feed(b"??" + encode_report(P1, 2) + b"\x052D\x81\xb9\x034C" + b"\x05", 7)
    lines = receiver.trace()
    assert [(line.data, line.meaning, line.damaged) for line in lines] == [
        (b"??", "loose bytes", True),
        (encode_report(P1, 2), "2 player 1: 8S", False),
        (b"\x052D\x81\xb9\x034C", "checksum is not 4D", True),
    ]
    assert {(line.at_ms, line.line, line.direction) for line in lines} == {(7, "shoe", "<")}
    assert receiver.trace() == []


def noisy(chance: random.Random, frame: bytes, per_bit: float) -> bytes:
    """`frame` with each bit flipped, each byte dropped or doubled with that chance (the latter two eight times)."""
    line = bytearray()
    for byte in frame:
        spoilt = byte
        if chance.random() < per_bit * 8:
            spoilt ^= 1 << chance.randrange(8)
        if chance.random() < per_bit * 8:
            line += bytes([spoilt]) * chance.choice((0, 2))
        else:
            line.append(spoilt)
    return bytes(line)


def wrong_reports(seed: int, count: int, per_bit: float) -> tuple[int, int]:
    """Of `count` reports in three noisy copies: how many were heard, and how many wrong, twice or out of order."""
    chance = random.Random(seed)
    receiver = Receiver()
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "DCSH"]
    frames: list[bytes] = []
    heard: list[bytes] = []
    for n in range(count):
        drawn = CardDrawn(chance.choice(("player", "banker")), chance.randint(1, 3), chance.choice(cards))
        frames.append(encode_report(drawn, n % 9 + 1))
        for copy in range(3):
            came = receiver.feed(noisy(chance, frames[-1], per_bit), n * 500 + copy * 50)
            heard += [one.raw for one in came if one.raw]
        receiver.tick(n * 500 + 400)
    rest = iter(frames)
    out_of_order = sum(not any(frame * 2 == raw for frame in rest) for raw in heard)
    return len(heard), out_of_order


@pytest.mark.untraced
@pytest.mark.parametrize("per_bit", [1e-2, 1e-3, 1e-4, 1e-5])
def test_fault_15_noise_gives_no_wrong_no_doubled_and_no_reordered_card(per_bit: float) -> None:
    heard, wrong = wrong_reports(seed=2026, count=5_000, per_bit=per_bit)
    assert wrong == 0
    assert heard > (500 if per_bit == 1e-2 else 4_800)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_fault_15_a_million_noisy_reports_give_no_wrong_card(seed: int) -> None:
    heard, wrong = wrong_reports(seed, count=50_000, per_bit=(1e-2, 3e-3, 1e-3, 1e-4)[seed % 4])
    assert wrong == 0
    assert heard
