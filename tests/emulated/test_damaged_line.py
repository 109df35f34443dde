"""Noise, damage and floods on the shoe's line: never a wrong card, never a card twice, and the table says so."""

import json
import random
from itertools import pairwise

import pytest

from drivers.contracts import CardDrawn, OwnResult, StandBy
from drivers.shoes.angel_eye_codec import ENQ, ETX, bcc
from tests.emulated.program import until
from tests.emulated.rig import SIX_CARDS, Begin, Rig

pytestmark = pytest.mark.untraced

PLACES = [("player", 1), ("banker", 1), ("player", 2), ("banker", 2), ("player", 3), ("banker", 3)]
COUP = [CardDrawn(target, index, card) for (target, index), card in zip(PLACES, SIX_CARDS, strict=True)]


def open_table(begin: Begin, **options: object) -> Rig:
    rig = begin(**options).start()
    rig.begins_shoe()
    rig.does("close-bets")
    return rig


def has_dealt(rig: Rig, cards: int) -> None:
    rig.cards_out(cards)
    state = rig.state()
    dealt = [card for hands in zip(*[iter(state["player"]), iter(state["banker"])], strict=False) for card in hands]
    assert dealt == list(SIX_CARDS[: len(dealt)])
    assert rig.recorded("CardDealt") == cards


def sends(rig: Rig, data: bytes) -> None:
    """More than the line takes at once."""
    for start in range(0, len(data), 16 * 1024):
        until(lambda: rig.shoe.end.waiting_out() < 32 * 1024)
        rig.shoe.raw(data[start : start + 16 * 1024])


def frame_of(content: bytes) -> bytes:
    """A frame with the right check characters, whatever is in it."""
    body = b"1" + content + bytes([ETX])
    return bytes([ENQ]) + body + bcc(body)


def test_three_copies_of_each_report_count_once(begin: Begin) -> None:
    """Fault 8; and a fourth, much later."""
    rig = open_table(begin)
    frames = [rig.shoe.frame(card) for card in COUP[:3]]
    for frame in frames:
        rig.shoe.raw(frame * 3)
    rig.cards_out(3)
    rig.shoe.raw(frames[-1] * 2)
    rig.shoe.says(COUP[3])
    has_dealt(rig, 4)
    assert rig.recorded("CardRepeated") == 0


def test_two_reports_that_change_places_stop_the_coup(begin: Begin) -> None:
    """Fault 13."""
    rig = open_table(begin, faults=['{"card": 2, "do": "swap-next"}'])
    rig.shoe.draws(3)
    rig.held("report-lost")
    assert rig.state()["player"] == ["2H"]
    rig.does("void")
    rig.sees("CoupVoided")


@pytest.mark.parametrize("damage", ["bad checksum", "no ETX", "no checksum", "number 0"])
def test_a_damaged_frame_is_counted_and_dropped(begin: Begin, damage: str) -> None:
    """Fault 14."""
    rig = open_table(begin)
    frame = rig.shoe.frame(COUP[0])
    bad = {
        "bad checksum": frame[:-2] + b"00",
        "no ETX": frame.replace(b"\x03", b"\x02"),
        "no checksum": frame[:-2],
        "number 0": frame_of(b"D\x81\xc2").replace(b"\x051", b"\x050"),
    }[damage]
    rig.shoe.raw(bad * 3 + frame * 2)
    has_dealt(rig, 1)
    assert rig.sees("FramesDamagedCounted")["damaged"] in (3, 4, 5)
    assert bad.hex(" ") in rig.trace.read_text()


@pytest.mark.parametrize("per_million", [1000, 100])
def test_bit_noise_never_makes_another_card(begin: Begin, per_million: int) -> None:
    """Fault 15: a stall is allowed, a wrong card is not."""
    rig = open_table(begin)
    chance = random.Random(per_million)
    for card in COUP:
        noisy = bytearray(rig.shoe.frame(card) * 3)
        for bit in range(len(noisy) * 8):
            if chance.random() < per_million / 1_000_000:
                noisy[bit // 8] ^= 1 << bit % 8
        rig.shoe.raw(bytes(noisy))
    frame = rig.shoe.frame(StandBy())
    rig.shoe.raw(frame * 3)
    rig.traced(frame)
    rig.state()
    cards = [json.loads(body)["card"] for (body,) in rig.rows("SELECT body FROM events WHERE kind = 'CardDealt'")]
    assert cards == list(SIX_CARDS[: len(cards)])


def test_bytes_that_drip_in_one_by_one_are_the_same_reports(begin: Begin) -> None:
    """Fault 16."""
    rig = open_table(begin)
    for byte in b"".join(rig.shoe.frame(card) * 2 for card in COUP[:4]):
        rig.shoe.raw(bytes([byte]))
        until(lambda: rig.shoe.end.waiting_out() == 0)
    has_dealt(rig, 4)


def test_a_whole_coup_in_one_read_is_the_same_coup(begin: Begin) -> None:
    """Fault 17."""
    rig = open_table(begin)
    reports = [*COUP, OwnResult("player", "player"), StandBy()]
    rig.shoe.raw(b"".join(rig.shoe.frame(report) * 3 for report in reports))
    rig.sees("ShoeResultAgreed", coup=1)
    assert rig.state()["last"]["winner"] == "player"


@pytest.mark.parametrize(
    "torn", [b"\x05\x05\x05", b"\x051D\x81", b"\x051D\x05", b"\x13\x11\x00\x0c\xff"], ids=["ENQ", "cut", "both", "XON"]
)
def test_after_a_torn_frame_the_next_card_is_not_lost(begin: Begin, torn: bytes) -> None:
    """Faults 18 and 33."""
    rig = open_table(begin)
    for card in COUP[:4]:
        frame = rig.shoe.frame(card)
        rig.shoe.raw(torn + frame + torn + frame)
    has_dealt(rig, 4)


def resident_kib(pid: int) -> int:
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


@pytest.mark.parametrize("mebibytes", [1, pytest.param(10, marks=pytest.mark.long)])
def test_megabytes_without_an_end_cost_no_memory(begin: Begin, mebibytes: int) -> None:
    """Fault 19."""
    rig = open_table(begin)
    before = resident_kib(rig.program.pid)
    sends(rig, b"\x051D" + b"\x81" * (mebibytes * 1024 * 1024))
    rig.held("line-unreadable")
    rig.shoe.says(COUP[0])
    rig.waits(1)
    rig.does("resume")
    has_dealt(rig, 1)
    assert rig.recorded("TableHeld") == 1
    assert resident_kib(rig.program.pid) - before < 8 * 1024
    assert rig.rows("SELECT sum(length(data)) <= 1048576 FROM trace") == [(1,)]
    assert rig.stop().code == 0
    rig.verifies()


def test_a_flood_of_good_reports_leaves_the_operator_in_charge(begin: Begin) -> None:
    """Fault 20."""
    rig = open_table(begin)
    flood = b"".join(rig.shoe.frame(StandBy()) * 2 for _ in range(600))
    sends(rig, flood)
    assert rig.state()["phase"] == "bets-closed"
    rig.does("open-bets", "close-bets")
    rig.shoe.says(COUP[0])
    has_dealt(rig, 1)
    rig.sees("CardDealt")
    noted = [event for event in rig.events if event["event"] == "ShoeReportNoted"]
    assert len(noted) == 600
    assert all(later["seq"] > earlier["seq"] for earlier, later in pairwise(rig.events))


def test_more_cards_than_a_shoe_has_while_held_can_only_be_void(begin: Begin) -> None:
    """Fault 20, with cards: what waits is bounded, and the operator ends it."""
    rig = open_table(begin)
    rig.shoe.says(CardDrawn("banker", 1, "3C"))
    rig.held("wrong-target")
    sends(rig, b"".join(rig.shoe.frame(CardDrawn("player", 1 + n % 3, "5C")) * 2 for n in range(1100)))
    rig.waits(1000)
    assert rig.refuses("resume") == "void-only"
    rig.does("void")
    rig.sees("CoupVoided")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"X", "code"),
        (b"D\xb1\xc2", "target"),
        (b"D\x81\xc0", ""),
        (b"D\x81\xce", ""),
        (b"D\x81\xd2", ""),
        (b"D\x80\xc2", ""),
        (b"D\x81", ""),
    ],
    ids=["type", "target", "rank 0", "rank 14", "suit 5", "index 0", "short"],
)
def test_what_no_shoe_says_is_shown_as_it_came_and_not_believed(begin: Begin, content: bytes, said: str) -> None:
    """Fault 21."""
    rig = open_table(begin)
    rig.shoe.raw(frame_of(content) * 3)
    rig.sees("FramesDamagedCounted", damaged=3)
    traced = [json.loads(line) for line in rig.trace.read_text().splitlines()]
    shown = [line for line in traced if line["hex"] == frame_of(content).hex(" ")]
    assert len(shown) == 3
    assert all(line["damaged"] and said in line["meaning"] for line in shown)
    assert rig.state()["player"] == []
    rig.shoe.says(COUP[0])
    has_dealt(rig, 1)
