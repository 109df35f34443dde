"""The board as the emulator draws it."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from drivers.displays.panel import LimitRow
from drivers.displays.simulated import Board
from tools.panel_picture import render
from tools.panel_words import LANGUAGES, WORDS, word

COUP = {
    "phase": "player-rule",
    "call": "player-draws",
    "shoe": "3",
    "coup": "4",
    "p": "TS,4C,XX",
    "b": "7D,8H",
    "pt": "4",
}
BOARD = Board(
    412,
    0,
    "Mini 7",
    "en",
    True,
    (LimitRow("tie", "100", "5000", "8:1"),),
    {"codes": "B6T4PnQN"},
    {"text": "Hello"},
    COUP,
)


def drawn(board: Board | None, trouble: str = "") -> str:
    console = Console(width=100, force_terminal=True, color_system=None, file=io.StringIO())
    with console.capture() as captured:
        console.print(render(board, trouble))
    return captured.get()


def test_what_the_public_sees() -> None:
    picture = drawn(BOARD)
    for text in ("SIMULATION", "Mini 7", "Player draws", "10♠", "4♣", "▒▒", "7♦", "8♥", "Hello", "tie 100-5000 (8:1)"):
        assert text in picture
    for mark in ("B6", "T4", "P8", "P9"):
        assert mark in picture


def test_a_real_table_is_not_called_a_simulation() -> None:
    assert "SIMULATION" not in drawn(replace(BOARD, sim=False))


def test_covered_it_says_so_and_why() -> None:
    picture = drawn(None, "nothing heard for 3 s")
    assert "No link" in picture
    assert "nothing heard for 3 s" in picture


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_word(language: str) -> None:
    assert drawn(replace(BOARD, lang=language))
    assert all(word(name, language) for name, _ in WORDS)
    assert word("player-draws", "zh") == "閒家補牌"


def test_fault_82_what_comes_over_the_line_is_never_obeyed() -> None:
    evil = "\x1b[2J\n\u202e[red]x"
    coup = dict.fromkeys(("phase", "call", "seconds", "shoe", "coup", "p", "pt", "outcome", "wins"), evil)
    board = Board(
        1, 0, evil, evil, False, (LimitRow(*[evil] * 4),), {"codes": "B" + evil}, {"level": evil, "text": evil}, coup
    )
    picture = drawn(board, evil)
    assert "\x1b" not in picture
    assert "\u202e" not in picture
    assert "[red]x" in picture


def test_a_shoe_of_156_coups_shows_the_newest_columns() -> None:
    picture = drawn(replace(BOARD, road={"codes": "B6" * 150 + "P1P2P3P4P5P7"}))
    assert all(f"P{total}" in picture for total in (1, 2, 3, 4, 5, 7))
    assert "(156)" in picture
