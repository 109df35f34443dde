"""Angel Eye II-EX compatible commands and their answers <-> bytes. Nothing here sends: the shoe is only listened to.

    STX  'O' 'P'  type(2)  data(2 digits)  ETX  BCC        answered by ACK, or NAK and a code

One source only, never confirmed on hardware. The maker's text has the BCC run from 'O' to ETX; its own example includes
STX. So it is a setting.
"""

from dataclasses import dataclass
from typing import Literal

from drivers.shoes.angel_eye_codec import ETX, bcc

STX = 0x02
ACK = 0x06
NAK = 0x15

CommandType = Literal["LK", "EC", "GP"]
"""Lock, error clearance, ask for the game state."""
CommandBcc = Literal["with-stx", "without-stx"]
"""Whether the checksum includes STX."""

LAWFUL: dict[CommandType, dict[str, str]] = {
    "LK": {"01": "unlock", "02": "lock"},
    "EC": {"00": "clear the error", "01": "keep the overdrawn card", "02": "discard the overdrawn card"},
    "GP": {"00": "tell the game state"},
}
REFUSALS = {
    0x01: "line error",
    0x02: "checksum",
    0x03: "no ETX",
    0x11: "format",
    0x12: "address",
    0x13: "command",
    0x14: "type",
    0x21: "busy",
    0x22: "writing",
    0xFF: "other",
}


@dataclass(frozen=True, slots=True)
class Command:
    """One order to the shoe; `data` is two digits."""

    type: CommandType
    data: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """The shoe carries the command out."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The shoe does not; `why` in words."""

    code: int
    why: str


def encode_command(command: Command, command_bcc: CommandBcc) -> bytes:
    """The bytes of `command`. Raises ValueError for one that the shoe does not have."""
    if command.data not in LAWFUL.get(command.type, {}):
        raise ValueError(f"no command {command.type} {command.data}")
    body = b"OP" + command.type.encode() + command.data.encode() + bytes([ETX])
    return bytes([STX]) + body + _bcc(body, command_bcc)


def decode_command(data: bytes, command_bcc: CommandBcc) -> Command | str:
    """The command of one whole frame, or why it is refused (one line)."""
    if len(data) != 10 or data[0] != STX or data[1:3] != b"OP" or data[7] != ETX:
        return "format: not STX OP type data ETX checksum"
    due = _bcc(data[1:8], command_bcc)
    if data[8:] != due:
        return f"checksum is not {due.decode()}"
    for kind, lawful in LAWFUL.items():
        for digits in lawful:
            if data[3:7] == (kind + digits).encode():
                return Command(kind, digits)
    return "type: no such command"


def encode_answer(answer: Accepted | Rejected) -> bytes:
    """ACK, or NAK with its code."""
    match answer:
        case Accepted():
            return bytes([ACK])
        case Rejected(code, _):
            return bytes([NAK, code])


def decode_answer(data: bytes) -> Accepted | Rejected | str:
    """What the shoe answers, or why it is no answer (one line)."""
    if data == bytes([ACK]):
        return Accepted()
    if len(data) == 2 and data[0] == NAK:
        return Rejected(data[1], REFUSALS.get(data[1], "unknown"))
    return "neither ACK nor NAK with a code"


def _bcc(body: bytes, command_bcc: CommandBcc) -> bytes:
    return bcc(bytes([STX]) + body if command_bcc == "with-stx" else body)
