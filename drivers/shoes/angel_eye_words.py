"""Angel Eye II-EX compatible reports in words, for the technician's trace. The error names are the device's."""

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
from drivers.shoes.angel_eye_fields import DeviceReport

ERRORS = {
    1: "cannot read",
    2: "overdraw",
    3: "button mishandled",
    4: "reverse run at exit",
    5: "reverse run midway",
    6: "card code error",
    7: "draw time-out",
}


def in_words(report: DeviceReport) -> str:
    """One printable line."""
    match report:
        case ShoeStart():
            return "start of communication"
        case StandBy():
            return "stand by"
        case CardDrawn("count", index, _):
            return f"burn count {index}"
        case CardDrawn(target, index, card):
            return f"{target} {index}: {card or 'unknown card'}"
        case CardOutsidePlay(mode, card):
            return f"{card or 'unknown card'} drawn outside play ({mode} mode)"
        case CardOverdrawn(_, _, card):
            return f"{card or 'unknown card'} overdrawn, kept for the next coup"
        case OwnResult(outcome, pairs):
            return f"result {outcome}, pairs {pairs}"
        case CutCard():
            return "cut card"
        case DeviceError(code, error_mode):
            return f"error {code}, {ERRORS.get(code, 'unknown')}{', in error mode' if error_mode else ''}"
        case DeviceErrorCleared(code):
            return f"error {code} cleared"
        case LockChanged(locked):
            return "locked by key" if locked else "unlocked by key"
        case PresetChanged(text):
            return f"preset changed: {text}"
