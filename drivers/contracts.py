"""What a wire, a card shoe and a table display are: the values they speak in and the methods they answer.

Time always comes in as `now_ms`, milliseconds of a clock that never goes back. Nothing here waits and nothing raises
for what the world does wrong: trouble on a line is a value (a report) like a card is.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

Target = Literal["player", "banker", "burn", "first", "count"]


class WireRefused(Exception):
    """A port that cannot be opened at start: one line with the port, what is wrong and what to do."""


class Wire(Protocol):
    """A two-way line of bytes that never makes its caller wait."""

    name: str
    """What a person calls it: /dev/serial/by-id/usb-FTDI_shoe, socket://127.0.0.1:7001."""
    is_up: bool
    """Open and, as far as anyone knows, working."""
    trouble: str
    """One line on why it is not up; empty while it is."""

    def open(self, now_ms: int) -> None:
        """First opening. Raises WireRefused when the port is missing, busy or forbidden."""

    def keep_trying(self, now_ms: int) -> None:
        """Treat as lost and reopen by itself, with a bounded back-off (instead of a strict `open`)."""

    def poll(self, now_ms: int) -> bytes:
        """All bytes the kernel holds now (up to 64 KiB a call), b"" when none. Reopens a lost port in due time.

        The bytes that came before a failure are returned first; `is_up` turns False in that call or a later one.
        """

    def send(self, data: bytes, now_ms: int) -> bool:
        """Hand over bytes; what the kernel does not take at once waits (at most 64 KiB) and goes out in later polls.

        False, and nothing of `data` taken, when the line is down or too much waits already.
        """

    def waiting_out(self) -> int:
        """Bytes taken by `send` and not yet taken by the kernel."""

    def fileno(self) -> int | None:
        """The descriptor to select on, None while down or when the wire has none."""

    def deadline_ms(self) -> int | None:
        """When `poll` must be called even if nothing is readable; None when never."""

    def close(self) -> None:
        """Give the port back. Safe to call twice."""


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card left the shoe in play. `card` is "TH" or None when the shoe gave no suit or rank (burn cards only)."""

    target: Target
    index: int
    card: str | None


@dataclass(frozen=True, slots=True)
class CardOutsidePlay:
    """A card left the shoe while it was locked, in error or being set."""

    mode: Literal["lock", "error", "setting"]
    card: str | None


@dataclass(frozen=True, slots=True)
class CardOverdrawn:
    """A card too many came out; the shoe keeps it for the next coup."""

    target: Target
    index: int
    card: str | None


@dataclass(frozen=True, slots=True)
class ShoeStart:
    """Start of communication: power on or reset."""


@dataclass(frozen=True, slots=True)
class StandBy:
    """Stand by between coups."""


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What the shoe itself takes for the result."""

    outcome: Literal["player", "banker", "tie", "forced-end"]
    pairs: Literal["none", "player", "banker", "both"]


@dataclass(frozen=True, slots=True)
class CutCard:
    """The cut card came out."""


@dataclass(frozen=True, slots=True)
class DeviceError:
    """The shoe reports an error; `error_mode` when it stopped for it."""

    code: int
    error_mode: bool


@dataclass(frozen=True, slots=True)
class DeviceErrorCleared:
    """The shoe's error is over."""

    code: int


@dataclass(frozen=True, slots=True)
class LockChanged:
    """The key was turned."""

    locked: bool


@dataclass(frozen=True, slots=True)
class PresetChanged:
    """A setting of the shoe was changed: six bytes of the device, escaped, logged and never acted on."""

    text: str


@dataclass(frozen=True, slots=True)
class ReportLost:
    """The count of the reports jumped: at least one was lost before the report that follows."""

    expected: int
    got: int


@dataclass(frozen=True, slots=True)
class ReportUnconfirmed:
    """One good copy came and no second one within its time; `about` says what it was, in one escaped line."""

    about: str


@dataclass(frozen=True, slots=True)
class LineUnreadable:
    """Damaged frames and no good one for a while: wrong speed, wrong cable, noise."""

    damaged: int


@dataclass(frozen=True, slots=True)
class FramesDamaged:
    """How many frames were damaged since this was last said (at most once a second)."""

    damaged: int


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The port failed; `trouble` is one escaped line."""

    trouble: str


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The port is open again."""


Report = (
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
    | ReportLost
    | ReportUnconfirmed
    | LineUnreadable
    | FramesDamaged
    | LinkDown
    | LinkUp
)


@dataclass(frozen=True, slots=True)
class Heard:
    """One report with its bytes (the copies that agreed, joined; b"" for what the driver noticed itself)."""

    report: Report
    raw: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class TraceLine:
    """Bytes on a line for the technician's trace: `<` from the device, `>` to it."""

    at_ms: int
    line: Literal["shoe", "display"]
    direction: Literal["<", ">"]
    data: bytes
    meaning: str
    damaged: bool


class CardShoe(Protocol):
    """A card shoe on a wire."""

    wire: Wire
    frames_good: int
    frames_damaged: int

    def poll(self, now_ms: int) -> list[Heard]:
        """What was confirmed since the last call, in order. Never raises for what came in."""

    def likely(self) -> Heard | None:
        """What the next copy on the line would confirm, None when nothing waits for one. It may never be heard."""

    def trace(self) -> list[TraceLine]:
        """The frames and loose bytes since the last call, bounded (the oldest go first)."""

    def deadline_ms(self) -> int | None:
        """When `poll` must be called even if nothing is readable."""


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key of the display: its `name`, the `board` the person saw, and whether that one is still shown."""

    name: str
    board: int
    current: bool


@dataclass(frozen=True, slots=True)
class DisplayUp:
    """The display answers and will be painted in full."""

    model: str


@dataclass(frozen=True, slots=True)
class DisplayDown:
    """The display does not answer any more."""

    trouble: str


DisplayReport = KeyPressed | DisplayUp | DisplayDown


PictureT = TypeVar("PictureT", contravariant=True)


class TableDisplay(Protocol[PictureT]):
    """A table display on a wire, showing pictures of its own kind. The newest picture replaces one not yet sent."""

    wire: Wire

    def show(self, picture: PictureT, now_ms: int) -> None:
        """Show this from now on. Only what changed goes on the line; never waits."""

    def expect(self, picture: PictureT) -> None:
        """This picture may be shown next: work out what showing it will need. Nothing goes on the line."""

    def poll(self, now_ms: int) -> list[DisplayReport]:
        """Read, answer, repeat what was not answered; what happened since the last call."""

    def trace(self) -> list[TraceLine]:
        """The frames and loose bytes since the last call, bounded."""

    def deadline_ms(self) -> int | None:
        """When `poll` must be called even if nothing is readable."""

    def is_up(self) -> bool:
        """Whether the display itself answers (an open port alone is not up)."""
