"""A board of the panel link drawn for a terminal: what the public screen would show."""

from itertools import zip_longest

from rich import box
from rich.align import Align
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from drivers.displays.simulated import Board
from tools.panel_words import word

ROWS = 6
COLUMNS = 24
"""Columns of the bead plate that are drawn: the newest ones."""

_SUITS = {"C": ("♣", "black"), "D": ("♦", "red"), "H": ("♥", "red"), "S": ("♠", "black")}
_WINNERS = {
    **dict.fromkeys("PQRS", ("P", "閒", "blue")),
    **dict.fromkeys("BCDE", ("B", "莊", "red")),
    **dict.fromkeys("TUVW", ("T", "和", "green")),
}
_NATURALS = {"n": "8", "N": "9"}
_SIDE_COLOURS = {"player": "blue", "banker": "red", "tie": "green"}
_LEVELS = {"info": "cyan", "hold": "yellow", "tilt": "red"}


def render(board: Board | None, trouble: str = "") -> RenderableType:
    """The whole screen; a cover that says why when there is no board."""
    if board is None:
        return Panel(Align.center(_no_link(trouble)), box=box.HEAVY, style="dim", padding=(2, 4))
    return Panel(Group(*board_rows(board), _limits(board)), title=_clean(board.table, "bold"), box=box.HEAVY)


def board_rows(board: Board) -> list[RenderableType]:
    """What is above the limits, top down: that it is simulated, heading, hands, result, notice, bead plate."""
    rows: list[RenderableType] = []
    if board.sim:
        banner = "   ".join([word("simulation", board.lang)] * 3)
        rows.append(Text(banner, style="bold black on yellow", justify="center"))
    return [*rows, _heading(board), _hands(board), _result(board), _notice(board), _road(board)]


def printable(text: str) -> str:
    """Text from a line without what a terminal would obey."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def _clean(text: str, style: str = "") -> Text:
    return Text(printable(text), style=style)


def _no_link(trouble: str) -> Text:
    names = " / ".join(word("no-link", language) for language in ("en", "th", "zh"))
    return Text.assemble((names, "bold"), "\n\n", (printable(trouble), "dim"), justify="center")


def _heading(board: Board) -> Text:
    coup, language = board.coup, board.lang
    text = Text(justify="center")
    text.append(word(printable(coup.get("phase", "")), language), style="bold")
    if "call" in coup:
        text.append(f"   {word(printable(coup['call']), language)}", style="bold yellow")
    if "seconds" in coup:
        text.append(f"   {printable(coup['seconds'])} {word('seconds', language)}", style="bold cyan")
    for name in ("shoe", "coup"):
        text.append(f"   {word(name, language)} {printable(coup.get(name, ''))}", style="dim")
    return text


def _hands(board: Board) -> Table:
    hands = Table.grid(expand=True)
    sides = (("player", "p", "pt"), ("banker", "b", "bt"))
    for _ in sides:
        hands.add_column(justify="center", ratio=1)
    hands.add_row(*(_hand(board, *side) for side in sides))
    return hands


def _hand(board: Board, side: str, cards_key: str, total_key: str) -> Panel:
    coup, colour = board.coup, _SIDE_COLOURS[side]
    text = Text(justify="center")
    for card in filter(None, coup.get(cards_key, "").split(",")):
        text.append_text(_card(card))
        text.append(" ")
    text.append(f"\n{printable(coup.get(total_key, '-'))}", style=f"bold {colour}")
    is_next = coup.get("next") == side
    title = word(side, board.lang) + (f" < {word('next', board.lang)}" if is_next else "")
    return Panel(text, title=Text(title, style=f"bold {colour}"), border_style=colour if is_next else "dim")


def _card(card: str) -> Text:
    rank, suit = printable(card[:1]), card[1:]
    if suit not in _SUITS:
        return Text("\u00a0▒▒\u00a0" if card == "XX" else "\u00a0??\u00a0", style="white on blue")
    symbol, colour = _SUITS[suit]
    return Text(f"\u00a0{'10' if rank == 'T' else rank}{symbol}\u00a0", style=f"bold {colour} on white")


def _result(board: Board) -> Text:
    coup, language = board.coup, board.lang
    if "outcome" not in coup:
        return Text("")
    outcome = coup["outcome"]
    call = {"player": "player-wins", "banker": "banker-wins"}.get(outcome, outcome)
    colour = _SIDE_COLOURS.get(outcome, "bright_black")
    text = Text(justify="center")
    text.append(f"\u00a0{word(printable(call), language)}\u00a0", style=f"bold white on {colour}")
    for key in ("wins", "pushes"):
        if coup.get(key):
            text.append(f"  {word(key, language)}: {printable(coup[key]).replace(',', '  ')}")
    return text


def _notice(board: Board) -> Text:
    colour = _LEVELS.get(board.notice.get("level", ""), "white")
    return Text(printable(board.notice.get("text", "")), style=f"bold {colour}", justify="center")


def _road(board: Board) -> Panel:
    codes = board.road.get("codes", "")
    coups = [codes[at : at + 2] for at in range(0, len(codes), 2)]
    columns = [coups[at : at + ROWS] for at in range(0, len(coups), ROWS)][-COLUMNS:]
    lines = zip_longest(*([*column, *[""] * (ROWS - len(column))] for column in columns), fillvalue="")
    plate = Text("\n").join([_bead_line(line, board.lang) for line in lines] or [Text("\n" * (ROWS - 1))])
    return Panel(plate, title=f"{word('road', board.lang)} ({len(coups)})", border_style="dim")


def _bead_line(codes: tuple[str, ...], language: str) -> Text:
    line = Text(no_wrap=True)
    for code in codes:
        if code[:1] not in _WINNERS:
            line.append("   ")
            continue
        latin, chinese, colour = _WINNERS[code[0]]
        mark = chinese if language == "zh" else latin + _NATURALS.get(code[1:], printable(code[1:]))
        line.append(mark, style=f"{'underline ' if code[0] not in 'PBT' else ''}bold white on {colour}")
        line.append(" ")
    return line


def _limits(board: Board) -> Text:
    text = Text(style="dim", justify="center")
    text.append(f"{word('limits', board.lang)}:", style="bold")
    for row in board.limits:
        text.append(printable(f"  {row.wager} {row.minimum}-{row.maximum} ({row.odds})"))
    return text
