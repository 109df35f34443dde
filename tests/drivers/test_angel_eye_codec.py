"""Angel Eye II-EX compatible frames: one list of (report, bytes) for both directions, and everything out of bounds."""

import json
from pathlib import Path

import pytest

from drivers.contracts import (
    CardDrawn,
    CardOutsidePlay,
    CardOverdrawn,
    CutCard,
    DeviceError,
    DeviceErrorCleared,
    LockChanged,
    OwnResult,
    PresetChanged,
    ShoeStart,
    StandBy,
)
from drivers.shoes.angel_eye_codec import bcc, decode_frame, encode_report
from drivers.shoes.angel_eye_fields import DeviceReport
from drivers.shoes.angel_eye_words import in_words

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "angel_eye_frames.json").read_text())

CASES: list[tuple[DeviceReport, int, bytes]] = [
    (ShoeStart(), 1, b"\x051S\x0361"),
    (StandBy(), 2, b"\x052P\x0361"),
    (CardDrawn("player", 1, "8S"), 2, b"\x052D\x81\xb8\x034C"),
    (CardDrawn("banker", 3, "TH"), 3, b"\x053D\x93\xca\x032D"),
    (CardDrawn("burn", 10, "9D"), 6, b"\x056D\xaa\x99\x0342"),
    (CardDrawn("burn", 1, None), 6, b"\x056D\xa1\x80\x0350"),
    (CardDrawn("first", 1, "4H"), 7, b"\x057D\xc1\xc4\x0375"),
    (CardDrawn("count", 11, None), 7, b"\x057D\xdb\x80\x032B"),
    (CardOutsidePlay("lock", "KH"), 1, b"\x051d\x80\xcd\x031B"),
    (CardOutsidePlay("error", None), 1, b"\x051d\x90\x80\x0346"),
    (CardOutsidePlay("setting", "AD"), 9, b"\x059d\xa0\x91\x036F"),
    (CardOverdrawn("player", 1, "7C"), 8, b"\x058R\x81\xa7\x034F"),
    (OwnResult("player", "player"), 5, b"\x055G\x91\x03E0"),
    (OwnResult("tie", "both"), 6, b"\x056G\xa3\x03D1"),
    (OwnResult("banker", "banker"), 7, b"\x057G\xc2\x03B1"),
    (OwnResult("forced-end", "none"), 8, b"\x058G\xf0\x038C"),
    (CutCard(), 9, b"\x059C\x0379"),
    (DeviceError(2, True), 8, b"\x058E\xc2\x03BC"),
    (DeviceError(63, False), 8, b"\x058E\xbf\x03C1"),
    (DeviceErrorCleared(2), 9, b"\x059e\x82\x03DD"),
    (LockChanged(True), 1, b"\x051L\x81\x03FF"),
    (LockChanged(False), 1, b"\x051L\x80\x03FE"),
    (PresetChanged("01\\\\\\x80 z"), 3, b"\x053M01\\\x80 z\x03FA"),
]


def framed(seq: bytes, code: bytes, data: bytes) -> bytes:
    """A frame with a right checksum around whatever is inside."""
    body = seq + code + data + b"\x03"
    return b"\x05" + body + bcc(body)


@pytest.mark.parametrize(("report", "seq", "frame"), CASES)
def test_each_report_is_these_bytes_in_both_directions(report: DeviceReport, seq: int, frame: bytes) -> None:
    assert encode_report(report, seq) == frame
    assert decode_frame(frame) == (seq, report)
    assert in_words(report).isprintable()


def meaning(report: DeviceReport) -> dict[str, object]:
    match report:
        case ShoeStart():
            return {"code": "S"}
        case StandBy():
            return {"code": "P"}
        case CutCard():
            return {"code": "C"}
        case CardDrawn(target, index, card):
            return {"code": "D", "target": target, "index": index, "card": card}
        case CardOverdrawn(target, index, card):
            return {"code": "R", "target": target, "index": index, "card": card}
        case OwnResult(outcome, pairs):
            return {"code": "G", "outcome": outcome, "pairs": pairs}
        case DeviceError(code, error_mode):
            return {"code": "E", "error": code, "error_mode": error_mode}
        case DeviceErrorCleared(code):
            return {"code": "e", "error": code}
        case LockChanged(locked):
            return {"code": "L", "locked": locked}
        case _:
            raise AssertionError(report)


@pytest.mark.parametrize("vector", VECTORS["reports"], ids=lambda vector: vector["hex"])
def test_published_frames_mean_what_they_say(vector: dict[str, object]) -> None:
    frame = bytes.fromhex(str(vector["hex"]))
    decoded = decode_frame(frame)
    assert not isinstance(decoded, str)
    assert meaning(decoded[1]) == vector["means"]
    assert encode_report(decoded[1], decoded[0]) == frame


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["why"])
def test_published_bad_frames_are_refused_for_their_reason(vector: dict[str, str]) -> None:
    refused = decode_frame(bytes.fromhex(vector["hex"]))
    assert isinstance(refused, str)
    assert vector["why"] in refused


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (b"", "too short"),
        (b"\x05", "too short"),
        (b"\x051S\x036", "too short"),
        (b"\x061S\x0361", "not ENQ"),
        (b"\x051S\x0461", "no ETX"),
        (b"\x051S\x0362", "checksum"),
        (b"\x055G\x91\x03e0", "checksum"),
        (framed(b"0", b"S", b""), "sequence 0x30"),
        (framed(b":", b"S", b""), "sequence 0x3A"),
        (framed(b"\xb1", b"S", b""), "sequence 0xB1"),
        (framed(b"1", b"X", b""), "code 0x58"),
        (framed(b"1", b"s", b""), "code 0x73"),
        (framed(b"1", b"\x00", b""), "code 0x00"),
        (framed(b"1", b"S", b"\x80"), "too long"),
        (framed(b"1", b"D", b"\x81\xb8\x80"), "too long"),
        (framed(b"1", b"M", b"12345"), "too short"),
        (framed(b"1", b"M", b"1234567"), "too long"),
        (framed(b"1", b"M", b"12\x0045\x80"), "control byte"),
        (framed(b"1", b"M", b"12\x7f456"), "control byte"),
        (framed(b"1", b"d", b"\xb0\xb8"), "mode byte 0xB0"),
        (framed(b"1", b"d", b"\x81\xb8"), "mode byte 0x81"),
        (framed(b"1", b"d", b"\x80\xbf"), "rank 15"),
        (framed(b"1", b"G", b"\x94"), "result byte 0x94"),
        (framed(b"1", b"G", b"\x80"), "outcome 0"),
        (framed(b"1", b"L", b"\x83"), "lock byte 0x83"),
        (framed(b"1", b"E", b"\x42"), "bit 7 clear"),
        (framed(b"1", b"e", b"\x02"), "bit 7 clear"),
        (framed(b"1", b"L", b"\x01"), "bit 7 clear"),
        (framed(b"1", b"R", b"\x81\x38"), "bit 7 clear"),
        (framed(b"1", b"D", b"\xc2\xb8"), "index 2 for First"),
        (framed(b"1", b"D", b"\xab\xb8"), "index 11 for Burn"),
        (framed(b"1", b"D", b"\xe1\xb8"), "target 6"),
        (framed(b"1", b"D", b"\xf1\xb8"), "target 7"),
    ],
)
def test_what_is_out_of_bounds_is_refused(frame: bytes, why: str) -> None:
    refused = decode_frame(frame)
    assert isinstance(refused, str)
    assert why in refused


@pytest.mark.parametrize("code", ["D", "R"])
def test_every_pair_of_card_bytes_is_judged(code: str) -> None:
    """Fault 21: all 65,536 pairs; the lawful ones are listed here from the device's table, independently."""
    suits = {0x10: "D", 0x20: "C", 0x30: "S", 0x40: "H"}
    ranks = dict(zip(range(1, 14), "A23456789TJQK", strict=True))
    faces = {0x80 | suit | rank: ranks[rank] + suits[suit] for suit in suits for rank in ranks}
    blank = {0x80 | suit | rank: None for suit in (0, *suits) for rank in (0, *ranks) if not (suit and rank)}
    lawful: dict[bytes, tuple[str, int, str | None]] = {}
    for index in (1, 2, 3):
        for value, card in faces.items():
            lawful[bytes([0x80 | index, value])] = ("player", index, card)
            lawful[bytes([0x90 | index, value])] = ("banker", index, card)
    for value, card in {**faces, **blank}.items():
        lawful[bytes([0xC1, value])] = ("first", 1, card)
        lawful |= {bytes([0xA0 | index, value]): ("burn", index, card) for index in range(1, 11)}
        lawful |= {bytes([0xD0 | index, value]): ("count", index, None) for index in range(16)}
    accepted: dict[bytes, tuple[str, int, str | None]] = {}
    for pair in range(0x10000):
        data = pair.to_bytes(2, "big")
        if b"\x03" in data or b"\x05" in data:
            continue
        match decode_frame(framed(b"4", code.encode(), data)):
            case (4, CardDrawn(target, index, card) | CardOverdrawn(target, index, card)):
                accepted[data] = (target, index, card)
            case other:
                assert isinstance(other, str)
                assert other
    assert accepted == lawful


@pytest.mark.parametrize("code", ["G", "E", "e", "L"])
def test_every_single_data_byte_is_judged(code: str) -> None:
    lawful = {
        "G": [0x80 | outcome << 4 | pairs for outcome in (1, 2, 4, 7) for pairs in range(4)],
        "E": range(0x80, 0x100),
        "e": range(0x80, 0x100),
        "L": [0x80, 0x81],
    }
    accepted = [
        byte for byte in range(256) if not isinstance(decode_frame(framed(b"1", code.encode(), bytes([byte]))), str)
    ]
    assert accepted == list(lawful[code])


@pytest.mark.parametrize(
    ("report", "seq"),
    [
        (CardDrawn("player", 0, "8S"), 1),
        (CardDrawn("player", 4, "8S"), 1),
        (CardDrawn("player", 17, "8S"), 1),
        (CardDrawn("player", 300, "8S"), 1),
        (CardDrawn("banker", 1, None), 1),
        (CardDrawn("burn", 11, "8S"), 1),
        (CardDrawn("count", 3, "8S"), 1),
        (CardDrawn("player", 1, "1S"), 1),
        (CardDrawn("player", 1, "10S"), 1),
        (CardDrawn("player", 1, ""), 1),
        (DeviceError(64, False), 1),
        (DeviceErrorCleared(128), 1),
        (PresetChanged("12345"), 1),
        (PresetChanged("1234\n6"), 1),
        (ShoeStart(), 0),
        (ShoeStart(), 10),
    ],
)
def test_no_frame_is_made_that_would_not_be_read_back(report: DeviceReport, seq: int) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (any ValueError: some come from bytes() and index())
        encode_report(report, seq)


def test_every_single_bit_flip_of_every_case_is_refused() -> None:
    """Fault 14: one flipped bit is always found."""
    for _, _, frame in CASES:
        for bit in range(len(frame) * 8):
            spoilt = bytearray(frame)
            spoilt[bit // 8] ^= 1 << bit % 8
            assert isinstance(decode_frame(bytes(spoilt)), str), spoilt.hex()
