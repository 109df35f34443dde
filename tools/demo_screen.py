"""What the demonstration shows in the terminal: the panel's own picture, the wires under it, how far the shoe is."""

import io
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from drivers.displays.simulated import Board
from tools.demo_inbox import TICK_S
from tools.demo_tally import Tally
from tools.demo_wires import Tail, WireTalk, board_of
from tools.panel_picture import board_rows, render

BOARD_LINES = 16
PROGRESS_LINES = 2
LEAST_WIRE_LINES = 3
BAR = 20
SAVED_WIDTH, SAVED_HEIGHT = 92, 30


@dataclass(frozen=True, slots=True)
class Shown:
    """One moment of the demonstration."""

    board: Board | None
    wires: tuple[str, ...]
    tally: Tally
    cards_in_shoe: int


class Screen:
    """Follows what the panel showed. `live` draws it; else it only remembers, for the picture to save."""

    def __init__(self, boards: Path, trace: Path, tally: Tally, cards_in_shoe: int, live: Live | None) -> None:
        self._boards, self._trace = Tail(boards), Tail(trace)
        self._talk = WireTalk()
        self._tally, self._live = tally, live
        self._now = Shown(None, (), replace(tally), cards_in_shoe)
        self._drawn_s = 0.0
        self.last_coup: Shown | None = None
        """The latest moment with a whole coup on the panel."""

    def showed(self, coup: int) -> bool:
        """Whether the result of this coup was to be seen on the panel."""
        shown = self.last_coup
        return shown is not None and shown.board is not None and shown.board.coup.get("coup") == str(coup)

    def look(self) -> None:
        """Call often: draws what is new, at most some times a second."""
        now_s = time.monotonic()
        if now_s - self._drawn_s >= TICK_S:
            self._drawn_s = now_s
            self.draw()

    def draw(self) -> None:
        """What the panel shows now. The wires first, so that they never lag behind the picture."""
        boards = [board_of(line) for line in self._boards.lines()]
        for line in self._trace.lines():
            self._talk.hear(line)
        board = boards[-1] if boards else self._now.board
        self._now = replace(self._now, board=board, wires=self._talk.last(), tally=replace(self._tally))
        complete = [board for board in boards if "outcome" in board.coup]
        if complete:
            self.last_coup = replace(self._now, board=complete[-1])
        if self._live is not None:
            console = self._live.console
            self._live.update(picture(self._now, console.width, console.height), refresh=True)


def live_on(console: Console) -> AbstractContextManager[Live | None]:
    """The whole terminal, given back afterwards; nothing on what is no terminal."""
    if not can_draw(console):
        return nullcontext()
    return Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)


def can_draw(console: Console) -> bool:
    """A terminal that can move its cursor and write the suits of cards."""
    return console.is_terminal and not console.is_dumb_terminal and console.encoding.startswith("utf")


def picture(shown: Shown, width: int, height: int) -> RenderableType:
    """All of it, in no more than `height` lines from 24 on; lower terminals lose the wires' lines first."""
    wire_lines = max(LEAST_WIRE_LINES, height - BOARD_LINES - PROGRESS_LINES - 2)
    rows = _board(shown.board)
    talk = Text("\n".join(_fitted(shown.wires, wire_lines)), no_wrap=True, overflow="ellipsis")
    wires = Panel(talk, title="on the wires", border_style="dim", height=wire_lines + 2)
    remark = Text(f" {shown.tally.remark}", style="bold yellow", no_wrap=True, overflow="ellipsis")
    return Group(*rows, wires, remark, _progress(shown))


def closing_picture(shown: Shown) -> RenderableType:
    """The board alone, to stay in the terminal."""
    return Group(*_board(shown.board))


def save(shown: Shown, path: Path) -> None:
    """The picture as SVG. Raises OSError."""
    console = Console(
        record=True, file=io.StringIO(), width=SAVED_WIDTH, height=SAVED_HEIGHT, force_terminal=True, no_color=False
    )
    console.print(picture(shown, SAVED_WIDTH, SAVED_HEIGHT))
    path.write_text(console.export_svg(title="./tools/demo"), encoding="utf-8")


def _board(board: Board | None) -> list[RenderableType]:
    if board is None:
        return [Panel(render(None, "the table starts"), height=BOARD_LINES, border_style="dim")]
    rows = board_rows(board)
    for row in rows:
        if isinstance(row, Text):
            row.no_wrap, row.overflow = True, "ellipsis"
    return rows


def _fitted(lines: tuple[str, ...], most: int) -> list[str]:
    last = list(lines[-most:])
    return [*last, *[""] * (most - len(last))]


def _progress(shown: Shown) -> Text:
    tally, total = shown.tally, shown.cards_in_shoe
    done = tally.cards * BAR // total
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(" shoe ", style="bold")
    text.append("━" * done, style="bold green")
    text.append("─" * (BAR - done), style="dim")
    text.append(f" {tally.cards}/{total} cards")
    text.append(f"   {tally.coups} coups: P {tally.player} B {tally.banker} T {tally.tie}   holds {tally.holds}")
    return text
