"""A table file: who sits where, what may be staked, how the coup is conducted, and the devices.

A key without "optional" must be there; a missing optional one means what stands behind it.

    format: punto-table 1
    id: bac-07                      # letters, digits, '-' and '_', at most 32: names the journal's file
    name: Mini Baccarat 7           # at most 60 characters
    language: th                    # optional: en | th | zh (en)
    seats: [1, 2, 3, 5, 6]          # 1 to 14 numbers of the layout, from 1 to 99
    currency: {code: THB, decimals: 2}
    paytable: ../paytables/x.yaml   # as seen from this file
    procedures: ../procedures/x.yaml  # optional
    limits:                         # {} for none; each optional: a wager of the paytable, differential, bar_both_sides
      player: {min: 10000, max: 5000000, multiple: 10000}   # multiple optional (1)
      differential: 10000000
      bar_both_sides: true          # (false)
    simulation: false               # optional (false)
    journal: {key: bac-07.key}      # optional: the key's file, as seen from this one (keys/ID.key beside the journal)
    betting: {close: button, empty_coup: deal}  # optional: button | first-card | timer, with seconds; deal | refuse
    reveal: at-once                 # optional: at-once | complete-hands | dealer
    settle: {confirm: button}       # optional: button | auto, with after_s
    shoe:
      decks: 8                      # 1 to 12
      burn: {by: first-card}        # first-card (ace: 1, court: 10) | decks | fixed, with cards | none
      cut_card: {depth: 14, coups_after: 1}
      driver: angel-eye             # angel-eye | simulated
      port: /dev/serial/by-id/...   # idle with simulated; baud (4800), copies (3), quiet_s (30) optional
    display:                        # optional: {driver: none}
      driver: panel                 # panel | none
      port: socket://127.0.0.1:7001 # idle with none; baud (115200) optional
"""

from enum import Enum
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue

from controller.game.shoe import BurnBy
from controller.host.config_form import Form, one_of
from controller.host.config_shape import Map
from controller.host.config_values import Wrong, choice, flag, not_one_of, text, whole, written
from controller.table.rules import CloseBy, EmptyCoup, Limit, Reveal

FORMAT = "punto-table 1"
MOST_SEATS = 14
_MOST_BAUD = 4_000_000


class Language(Enum):
    """The languages of the public screen."""

    EN = "en"
    TH = "th"
    ZH = "zh"


class ConfirmBy(Enum):
    """What confirms a settlement."""

    BUTTON = "button"
    AUTO = "auto"


class ShoeDriver(Enum):
    """The shoes that this version drives."""

    ANGEL_EYE = "angel-eye"
    SIMULATED = "simulated"


class DisplayDriver(Enum):
    """The displays that this version drives."""

    PANEL = "panel"
    NONE = "none"


_LATER = ("bee-tek", "scanner", "nextion", "alpha", "vfd")


def _driver(kind: type[ShoeDriver] | type[DisplayDriver]) -> Form:
    """A driver of this version; those that only the format knows are named as such."""

    def check(value: object) -> Enum:
        for member in kind:
            if value == member.value:
                return member
        words = [str(member.value) for member in kind]
        if value in _LATER:
            raise ValueError(f"{written(value)} is not available in this version; use {' or '.join(words)}")
        raise ValueError(not_one_of(value, words))

    return Form(check, one_of(kind))


def _seats(value: object) -> tuple[int, ...]:
    """The seat numbers in the order of the layout, each once."""
    if not isinstance(value, list):
        raise ValueError(f"a list of seat numbers is wanted, not {written(value)}; write [1, 2, 3]")
    if not 1 <= len(value) <= MOST_SEATS:
        raise ValueError(f"{len(value)} seats; write 1 to {MOST_SEATS}")
    wrong: list[tuple[tuple[str | int, ...], str]] = []
    for index, seat in enumerate(value):
        if isinstance(seat, bool) or not isinstance(seat, int) or not 1 <= seat <= 99:
            wrong.append(((index,), f"{written(seat)} is no seat number; write a whole number from 1 to 99"))
        elif seat in value[:index]:
            wrong.append(((index,), f"seat {seat} is here twice"))
    if wrong:
        raise Wrong(*wrong)
    return tuple(value)


SEATS = Form(
    _seats,
    {
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": 99},
        "minItems": 1,
        "maxItems": MOST_SEATS,
        "uniqueItems": True,
    },
)


class CurrencyMap(Map):
    code: Annotated[str, text(3, r"[A-Z]{3}", "three capital letters, as THB")]
    decimals: Annotated[int, whole(0, 4)]


class LimitMap(Map):
    min: Annotated[int, whole(1)]
    max: Annotated[int, whole(1)]
    multiple: Annotated[int, whole(1)] = 1

    def limit(self) -> Limit:
        return Limit(self.min, self.max, self.multiple)


Dependent = tuple[tuple[str, ...], str, str]

_TIMED: Dependent = (("betting", "close"), "timer", "seconds")
_AUTO: Dependent = (("settle", "confirm"), "auto", "after_s")
_FIXED: Dependent = (("shoe", "burn", "by"), "fixed", "cards")
DEPENDENTS = (_TIMED, _AUTO, _FIXED)
"""With this value under these keys, that key must stand beside it."""


def _with(dependent: Dependent) -> ConfigDict:
    """A map whose schema asks for the dependent key, too."""
    keys, value, beside = dependent
    chosen: dict[str, JsonValue] = {"required": [keys[-1]], "properties": {keys[-1]: {"const": value}}}
    needs: dict[str, JsonValue] = {"if": chosen, "then": {"required": [beside]}}
    return ConfigDict(extra="forbid", frozen=True, strict=True, json_schema_extra=needs)


class BettingMap(Map):
    model_config = _with(_TIMED)

    close: Annotated[CloseBy, choice(CloseBy)] = CloseBy.BUTTON
    seconds: Annotated[int, whole(1, 600)] | None = None
    empty_coup: Annotated[EmptyCoup, choice(EmptyCoup)] = EmptyCoup.DEAL


class SettleMap(Map):
    model_config = _with(_AUTO)

    confirm: Annotated[ConfirmBy, choice(ConfirmBy)] = ConfirmBy.BUTTON
    after_s: Annotated[int, whole(0, 600)] | None = None


class BurnMap(Map):
    model_config = _with(_FIXED)

    by: Annotated[BurnBy, choice(BurnBy)]
    cards: Annotated[int, whole(1, 52)] | None = None
    ace: Annotated[int, whole(1, 20)] = 1
    court: Annotated[int, whole(0, 20)] = 10


class CutCardMap(Map):
    depth: Annotated[int, whole(1, 12 * 52)]
    coups_after: Annotated[int, whole(0, 10)]


Port = Annotated[str, text(200)]


class ShoeMap(Map):
    decks: Annotated[int, whole(1, 12)]
    burn: BurnMap
    cut_card: CutCardMap
    driver: Annotated[ShoeDriver, _driver(ShoeDriver)]
    port: Port | None = None
    baud: Annotated[int, whole(1, _MOST_BAUD)] = 4800
    copies: Annotated[int, whole(1, 3)] = 3
    quiet_s: Annotated[int, whole(1, 3600)] = 30


class DisplayMap(Map):
    driver: Annotated[DisplayDriver, _driver(DisplayDriver)] = DisplayDriver.NONE
    port: Port | None = None
    baud: Annotated[int, whole(1, _MOST_BAUD)] = 115200


class LimitsMap(Map):
    """Limits by wager, beside the two keys that are about more than one."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)
    __pydantic_extra__: dict[str, LimitMap]

    differential: Annotated[int, whole(1)] | None = None
    bar_both_sides: Annotated[bool, flag()] = False

    def by_wager(self) -> dict[str, LimitMap]:
        return self.__pydantic_extra__


class JournalMap(Map):
    key: Annotated[str, text(200)]


_SIMULATED_SAYS_SO: dict[str, JsonValue] = {
    "if": {
        "required": ["shoe"],
        "properties": {"shoe": {"required": ["driver"], "properties": {"driver": {"const": "simulated"}}}},
    },
    "then": {"required": ["simulation"], "properties": {"simulation": {"const": True}}},
}


class TableMap(Map):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, json_schema_extra=_SIMULATED_SAYS_SO)

    format: Annotated[str, Field(json_schema_extra={"const": FORMAT})]
    id: Annotated[str, text(32, r"[A-Za-z0-9][A-Za-z0-9_-]*", "letters, digits, '-' and '_'")]
    name: Annotated[str, text(60)]
    language: Annotated[Language, choice(Language)] = Language.EN
    seats: Annotated[tuple[int, ...], SEATS]
    currency: CurrencyMap
    paytable: Annotated[str, text(200)]
    procedures: Annotated[str, text(200)] | None = None
    limits: LimitsMap
    simulation: Annotated[bool, flag()] = False
    journal: JournalMap | None = None
    betting: BettingMap = BettingMap()
    reveal: Annotated[Reveal, choice(Reveal)] = Reveal.AT_ONCE
    settle: SettleMap = SettleMap()
    shoe: ShoeMap
    display: DisplayMap = Field(default_factory=DisplayMap)
