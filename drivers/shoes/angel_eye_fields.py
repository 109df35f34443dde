"""The data of Angel Eye II-EX compatible reports: what each code says, within strict bounds.

Every bit without a meaning has to be 0, and bit 7 of every data byte 1 (but `M`'s): such bounds find damage that the
checksum lets through."""

from collections.abc import Mapping
from typing import Literal

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
    Target,
)

DeviceReport = (
    CardDrawn
    | CardOutsidePlay
    | CardOverdrawn
    | ShoeStart
    | StandBy
    | OwnResult
    | CutCard
    | DeviceError
    | DeviceErrorCleared
    | LockChanged
    | PresetChanged
)
"""What a frame can say."""

DATA_BYTES = {"S": 0, "P": 0, "D": 2, "d": 2, "R": 2, "G": 1, "C": 0, "E": 1, "e": 1, "L": 1, "M": 6}
SUITS = ("none", "D", "C", "S", "H")
RANKS = ("none", *"A23456789TJQK")
TARGETS: dict[int, Target] = {0: "player", 1: "banker", 2: "burn", 4: "first", 5: "count"}
INDEX_BOUNDS: dict[Target, range] = {
    "player": range(1, 4),
    "banker": range(1, 4),
    "burn": range(1, 11),
    "first": range(1, 2),
    "count": range(16),
}
MODES: tuple[Literal["lock", "error", "setting"], ...] = ("lock", "error", "setting")
OUTCOMES: dict[int, Literal["player", "banker", "tie", "forced-end"]] = {
    1: "player",
    2: "tie",
    4: "banker",
    7: "forced-end",
}
PAIRS: tuple[Literal["none", "player", "banker", "both"], ...] = ("none", "player", "banker", "both")


class FieldRefused(Exception):
    """A code or its data are out of bounds: one line that says which."""


def report_of(code: str, data: bytes) -> DeviceReport:
    """What `code` with `data` says. Raises FieldRefused."""
    _check_data(code, data)
    match code:
        case "S":
            return ShoeStart()
        case "P":
            return StandBy()
        case "D":
            return CardDrawn(*_drawn(*data))
        case "d":
            return CardOutsidePlay(_mode(data[0]), _card(data[1]))
        case "R":
            return CardOverdrawn(*_drawn(*data))
        case "G":
            return _own_result(data[0])
        case "C":
            return CutCard()
        case "E":
            return DeviceError(data[0] & 63, bool(data[0] & 64))
        case "e":
            return DeviceErrorCleared(data[0] & 127)
        case "L":
            _check(not data[0] & 0b1111110, f"lock byte 0x{data[0]:02X}")
            return LockChanged(bool(data[0] & 1))
        case _:
            return PresetChanged(_text(data))


def data_of(report: DeviceReport) -> tuple[str, bytes]:
    """The code and data of `report`; what is out of bounds gives data that say something else, or a ValueError."""
    match report:
        case ShoeStart():
            return "S", b""
        case StandBy():
            return "P", b""
        case CardDrawn(target, index, card):
            return "D", _drawn_bytes(target, index, card)
        case CardOutsidePlay(mode, card):
            return "d", bytes([0x80 | MODES.index(mode) << 4, _card_byte(card)])
        case CardOverdrawn(target, index, card):
            return "R", _drawn_bytes(target, index, card)
        case OwnResult(outcome, pairs):
            return "G", bytes([0x80 | _number_of(OUTCOMES, outcome) << 4 | PAIRS.index(pairs)])
        case CutCard():
            return "C", b""
        case DeviceError(code, error_mode):
            return "E", bytes([0x80 | error_mode << 6 | code])
        case DeviceErrorCleared(code):
            return "e", bytes([0x80 | code])
        case LockChanged(locked):
            return "L", bytes([0x80 | locked])
        case PresetChanged(text):
            return "M", text.encode("ascii").decode("unicode_escape").encode("latin-1")


def _check(lawful: bool, why: str) -> None:
    if not lawful:
        raise FieldRefused(why)


def _check_data(code: str, data: bytes) -> None:
    due = DATA_BYTES.get(code)
    if due is None:
        raise FieldRefused(f"code 0x{ord(code):02X}")
    size = "short" if len(data) < due else "long"
    _check(len(data) == due, f"too {size}: {code} with {len(data)} data bytes instead of {due}")
    if code == "M":
        _check(all(byte >= 0x20 and byte != 0x7F for byte in data), "control byte in M")
    else:
        _check(all(byte & 0x80 for byte in data), f"bit 7 clear in the data of {code}")


def _drawn(place: int, value: int) -> tuple[Target, int, str | None]:
    number, index = place >> 4 & 7, place & 15
    target = TARGETS.get(number)
    if target is None:
        raise FieldRefused(f"target {number}")
    _check(index in INDEX_BOUNDS[target], f"index {index} for {target.capitalize()}")
    card = _card(value)
    if target in ("player", "banker"):
        _check(bool(value >> 4 & 7), "no suit")
        _check(bool(value & 15), "no rank")
    return target, index, None if target == "count" else card


def _card(value: int) -> str | None:
    """None when the shoe gives no suit or no rank."""
    suit, rank = value >> 4 & 7, value & 15
    _check(suit < len(SUITS), f"suit {suit}")
    _check(rank < len(RANKS), f"rank {rank}")
    return RANKS[rank] + SUITS[suit] if suit and rank else None


def _mode(byte: int) -> Literal["lock", "error", "setting"]:
    _check(byte >> 4 & 7 < len(MODES) and not byte & 15, f"mode byte 0x{byte:02X}")
    return MODES[byte >> 4 & 7]


def _own_result(byte: int) -> OwnResult:
    outcome = byte >> 4 & 7
    _check(outcome in OUTCOMES, f"outcome {outcome}")
    _check(not byte & 0b1100, f"result byte 0x{byte:02X}")
    return OwnResult(OUTCOMES[outcome], PAIRS[byte & 3])


def _drawn_bytes(target: Target, index: int, card: str | None) -> bytes:
    return bytes([0x80 | _number_of(TARGETS, target) << 4 | index, _card_byte(card)])


def _card_byte(card: str | None) -> int:
    if card is None:
        return 0x80
    return 0x80 | SUITS.index(card[1:]) << 4 | RANKS.index(card[:1])


def _number_of(table: Mapping[int, str], value: str) -> int:
    return next(number for number, name in table.items() if name == value)


def _text(data: bytes) -> str:
    r"""`data` in printable characters, losslessly: \ is written twice, and what no printer prints as \xNN."""
    return data.decode("latin-1").encode("unicode_escape").decode("ascii")
