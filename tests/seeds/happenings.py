"""What the world sees of the program: what reached the disk, what was shown, answered, told; kills and starts."""

from collections.abc import Mapping
from dataclasses import dataclass

from controller.table.events import Event
from controller.table.inputs import Input
from controller.table.state import TableState
from drivers.displays.panel import PanelPicture
from drivers.displays.simulated import Board


@dataclass(frozen=True, slots=True)
class Recorded:
    """An input is on disk. `before`, `after` and `events` are what the rules make of the record itself.

    `seq` is that of the last event on disk. `quiet`: nothing was on the shoe's line.
    """

    what: Input
    raw: bytes
    order_id: str | None
    answer: Mapping[str, object] | None
    before: TableState
    after: TableState
    events: tuple[Event, ...]
    seq: int
    quiet: bool


@dataclass(frozen=True, slots=True)
class DiskRefused:
    """A write failed: from now on until a write succeeds the table may show itself held without a record of it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The program gave its display this picture."""

    picture: PanelPicture
    now_ms: int


@dataclass(frozen=True, slots=True)
class PanelShows:
    """The panel shows this board to the public."""

    board: Board


@dataclass(frozen=True, slots=True)
class Answered:
    """The program answered whoever asked at the desk."""

    do: str
    order_id: str
    answer: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Followed:
    """Somebody who follows the events got this one."""

    event: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Told:
    """The program's own log was told this."""

    event: Event


@dataclass(frozen=True, slots=True)
class Started:
    """The program took the table up from the journal in this state."""

    state: TableState


@dataclass(frozen=True, slots=True)
class Gone:
    """The program was killed or ended."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over: what the verifier says of the journal (empty: clean), and the state by a replay of the file."""

    difference: str
    replayed: TableState | None


Happening = Recorded | DiskRefused | Shown | PanelShows | Answered | Followed | Told | Started | Gone | Ended
