"""What a file says of a game: the wagers of a paytable, or of a table with its shoe."""

from pathlib import Path
from typing import NamedTuple

from controller.game.wagers import Paytable
from controller.host import config_paytable, config_table
from controller.host.config import check, load_paytable, load_table
from controller.host.config_file import ConfigErrors, read
from controller.host.yaml_strict import parse
from controller.lab.simulate_shoe import ShoeRule, usual_shoe

USUAL_DECKS = 8


class DecksGiven(Exception):
    """Decks were asked for beside a table, which has its own."""


class GameFile(NamedTuple):
    """The wagers, and the shoe they are dealt from."""

    paytable: Paytable
    rule: ShoeRule


def read_game(path: Path, decks: int | None) -> GameFile:
    """The game of a file; a paytable has no shoe, and gets the usual one of so many decks (None: eight).

    Raises ConfigErrors with every mistake of the files, DecksGiven.
    """
    match parse(read(path)[0]).at("format"):
        case config_table.FORMAT:
            rules = load_table(path).rules
            if decks is not None:
                raise DecksGiven(f"--decks goes with a paytable; this table deals {rules.decks} decks")
            return GameFile(rules.paytable, ShoeRule(rules.decks, rules.burn, rules.cut_card))
        case config_paytable.FORMAT:
            return GameFile(load_paytable(path), usual_shoe(decks or USUAL_DECKS))
        case _:
            raise ConfigErrors(check([path]).mistakes)
