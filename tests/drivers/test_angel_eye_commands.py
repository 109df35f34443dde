"""Commands to an Angel Eye II-EX compatible shoe, as bytes."""

import json
from pathlib import Path

import pytest

from drivers.shoes.angel_eye_commands import (
    LAWFUL,
    REFUSALS,
    Accepted,
    Command,
    Rejected,
    decode_answer,
    decode_command,
    encode_answer,
    encode_command,
)

COMMANDS = json.loads((Path(__file__).parents[1] / "vectors" / "angel_eye_frames.json").read_text())["commands"]


@pytest.mark.parametrize("vector", COMMANDS, ids=lambda vector: f"{vector['type']} {vector['data']}")
def test_each_command_is_these_bytes_with_either_checksum(vector: dict[str, str]) -> None:
    command = Command(vector["type"], vector["data"])  # type: ignore[arg-type]
    with_stx, without_stx = bytes.fromhex(vector["with_stx"]), bytes.fromhex(vector["without_stx"])
    assert encode_command(command, "with-stx") == with_stx
    assert encode_command(command, "without-stx") == without_stx
    assert decode_command(with_stx, "with-stx") == decode_command(without_stx, "without-stx") == command
    assert str(decode_command(with_stx, "without-stx")).startswith("checksum")
    assert str(decode_command(without_stx, "with-stx")).startswith("checksum")


def test_the_published_commands_are_all_there_are() -> None:
    published = {(vector["type"], vector["data"]) for vector in COMMANDS}
    assert published == {(kind, data) for kind, lawful in LAWFUL.items() for data in lawful}


@pytest.mark.parametrize(("kind", "data"), [("LK", "00"), ("LK", "03"), ("EC", "03"), ("GP", "01"), ("XX", "00")])
def test_no_other_command_is_made(kind: str, data: str) -> None:
    with pytest.raises(ValueError, match=f"no command {kind} {data}"):
        encode_command(Command(kind, data), "with-stx")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "format"),
        (b"\x02OPLK02\x031", "format"),
        (b"\x05OPLK02\x031B", "format"),
        (b"\x02OXLK02\x0313", "format"),
        (b"\x02OPLK02\x041B", "format"),
        (b"\x02OPLK02\x031b", "checksum"),
        (b"\x02OPLK03\x031A", "type"),
    ],
)
def test_what_is_no_command_is_refused(data: bytes, why: str) -> None:
    assert str(decode_command(data, "with-stx")).startswith(why)


def test_answers_are_ack_or_nak_with_a_code() -> None:
    assert encode_answer(Accepted()) == b"\x06"
    assert decode_answer(b"\x06") == Accepted()
    for code, why in REFUSALS.items():
        assert encode_answer(Rejected(code, why)) == bytes([0x15, code])
        assert decode_answer(bytes([0x15, code])) == Rejected(code, why)
    assert decode_answer(b"\x15\x77") == Rejected(0x77, "unknown")
    for none in (b"", b"\x15", b"\x06\x06", b"\x15\x01\x01", b"A"):
        assert isinstance(decode_answer(none), str)
