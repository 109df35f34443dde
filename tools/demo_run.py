"""One demonstration from its first program to the verified journal."""

import argparse
import contextlib
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from controller.game.cards import parse_card
from controller.host.client import Client
from controller.host.config import load_table
from controller.host.config_file import ConfigErrors
from controller.table.rules import HouseRules
from drivers.escape import escaped
from drivers.shoes.simulated_cards import shuffled
from tools.demo_dealer import Dealer, Pace
from tools.demo_inbox import DemoFailed, Inbox
from tools.demo_processes import Programs
from tools.demo_screen import Screen, can_draw, closing_picture, live_on, save
from tools.demo_shoe import ShoeGone, ShoeOrders
from tools.demo_stage import TABLE_FILE, Props, Stage
from tools.demo_tally import Tally, summary

AT_ONCE = Pace(0, 0, 0, 0)
TO_BE_SEEN = Pace(0.01, 0.005, 0, 1.2)
"""A whole shoe in about 20 s; a hold lasts long enough to be read."""
AS_A_DEALER = Pace(5, 1.5, 4, 4)
SHORT_PATH = 72
"""Bytes of a folder under which `/punto-demo-12345678/table.control`, 34 more, is still a local socket's path."""
MISREAD_COUPS = 12
"""The card that cannot be read falls into one of so many coups, unless --misread says which it is."""
LEAST_CARDS_A_COUP = 4


def run(options: argparse.Namespace, inbox: Inbox) -> int:
    """All of it. Raises DemoFailed, DemoStopped, OSError; whatever happens, no program and no file is left."""
    began_s = time.monotonic()
    lines = "ptys" if options.wire == "pty" else "TCP"
    _say(f"SIMULATION: emulated shoe and panel on {lines}, cards of seed {options.seed}; punto run is real")
    props = _props(options)
    with _folder() as folder, Programs(inbox) as programs:
        stage = Stage(folder, props, inbox, programs)
        tally, screen = _deal(options, props, inbox, stage)
        for line in summary(tally, len(props.cards), props.rules):
            _say(line)
        _say(stage.verified())
    if options.picture is not None:
        _save(screen, options.picture)
    _say(f"took {time.monotonic() - began_s:.1f} s")
    return 0


def _deal(options: argparse.Namespace, props: Props, inbox: Inbox, stage: Stage) -> tuple[Tally, Screen]:
    """Set the stage, deal the shoe, end the table in good order."""
    console = Console(force_terminal=False) if options.plain else Console()
    is_drawing = can_draw(console)
    pace = AS_A_DEALER if options.pace == "slow" else TO_BE_SEEN if is_drawing else AT_ONCE
    tally = Tally()
    stage.set()
    with _shoe_orders(stage, inbox) as shoe, Client(stage.table_control) as table, live_on(console) as live:
        screen = Screen(stage.boards, stage.trace, tally, len(props.cards), live)
        is_watched = is_drawing or options.picture is not None
        inbox.idle = screen.look if is_watched else _do_nothing
        Dealer(
            inbox,
            table,
            shoe,
            props.rules,
            props.cards,
            options.seed,
            options.coups,
            pace,
            tally,
            say=_say_nothing if is_drawing else _say,
            panel_showed=screen.showed if is_watched else _surely,
        ).deal()
        inbox.idle = _do_nothing
        screen.draw()
    if is_drawing and screen.last_coup is not None:
        console.print(closing_picture(screen.last_coup))
    stage.end_table()
    return tally, screen


def _props(options: argparse.Namespace) -> Props:
    rules = _rules()
    cards = shuffled(rules.decks, options.seed)
    misread = _misread(rules, cards, options) if options.misread is None else options.misread
    return Props(rules, cards, misread, options.wire)


def _rules() -> HouseRules:
    try:
        return load_table(TABLE_FILE).rules
    except ConfigErrors as wrong:
        raise DemoFailed(wrong.mistakes[0]) from None


def _misread(rules: HouseRules, cards: list[str], options: argparse.Namespace) -> int:
    """A card of one of the first coups."""
    burned = rules.burn.due(rules.decks, parse_card(cards[0])) or 0
    coups = min(options.coups or MISREAD_COUPS, MISREAD_COUPS)
    return 1 + burned + random.Random(options.seed).randint(1, LEAST_CARDS_A_COUP * coups)


@contextlib.contextmanager
def _shoe_orders(stage: Stage, inbox: Inbox) -> Iterator[ShoeOrders]:
    try:
        orders = ShoeOrders(stage.shoe_control)
    except ShoeGone as gone:
        raise inbox.why_gone(str(gone)) from None
    with contextlib.closing(orders):
        yield orders


def _save(screen: Screen, path: Path) -> None:
    if screen.last_coup is None:
        raise DemoFailed("the panel showed no whole coup: nothing to save")
    try:
        save(screen.last_coup, path)
    except OSError as error:
        raise DemoFailed(f"{escaped(str(path))}: {error.strerror}; name a file that can be written") from None
    _say(f"picture saved: {escaped(str(path))}")


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A folder of one's own, not so deep that a socket in it had too long a path."""
    deep = len(os.fsencode(tempfile.gettempdir())) > SHORT_PATH
    folder = Path(tempfile.mkdtemp(prefix="punto-demo-", dir="/tmp" if deep else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _say(line: str) -> None:
    print(line, flush=True)


def _say_nothing(_line: str) -> None:
    """The picture says it."""


def _do_nothing() -> None:
    """The picture stays as it is."""


def _surely(_coup: int) -> bool:
    """Nobody looks at the panel."""
    return True
