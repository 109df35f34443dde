"""What one value in a configuration may look like, and what to say when it does not.

Each function here makes the form of a value. Reading raises ValueError with what is wrong and, where it can be
guessed, what was meant; places in the file are found elsewhere.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from controller.host.config_form import Form, JsonSchema, one_of
from drivers.escape import escaped

LARGEST = 2**63 - 1
_MOST_SHOWN = 60

Choice = TypeVar("Choice", bound=Enum)


class Wrong(ValueError):
    """Mistakes inside a value: for each the keys below it that lead there, and what is wrong."""

    def __init__(self, *inside: tuple[tuple[str | int, ...], str]) -> None:
        self.inside = inside
        super().__init__("; ".join(text for _, text in inside))


def written(value: object) -> str:
    """A value the way a person wrote it, in one short line."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "a map"
        case list():
            return "a list"
        case _:
            return escaped(str(value), _MOST_SHOWN)


def meant(word: str, known: Iterable[str]) -> str:
    """`; did you mean WORD`, or empty when nothing known is near."""
    near = _nearest(word[:_MOST_SHOWN], tuple(known))
    return f"; did you mean {near}" if near else ""


@lru_cache(maxsize=4096)  # a word may be asked for by each that looks at it
def _nearest(word: str, known: tuple[str, ...]) -> str | None:
    folded = unicodedata.normalize("NFKC", word).lower().replace("_", "-")
    names = {name.lower().replace("_", "-"): name for name in known}
    near = difflib.get_close_matches(folded[:_MOST_SHOWN], names, 1, cutoff=0.6)
    return names[near[0]] if near else None


def whole(least: int, most: int = LARGEST) -> Form:
    """A whole number from `least` to `most`."""

    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{written(value)} is no whole number{_plain_digits(value)}")
        if not least <= value <= most:
            raise ValueError(f"{written(value)} is not from {least} to {most}")
        return value

    return Form(check, {"type": "integer", "minimum": least, "maximum": most})


def _plain_digits(value: object) -> str:
    """`1_000`, `010`, `1e3`, `5.00`, "5": the number that was meant, in plain digits.

    Of `1.000` nobody knows: some write a thousand so.
    """
    match = (
        re.fullmatch(r"([0-9][0-9_,' ]*)(?:\.0{0,2})?(?:[eE]\+?([0-9]))?", value) if isinstance(value, str) else None
    )
    if match is None:
        return "; write plain digits"
    number = re.sub("[^0-9]", "", match[1]).lstrip("0") or "0"
    number += "0" * int(match[2] or 0) if number != "0" else ""
    if len(number) > len(str(LARGEST)):
        return f"; the largest is {LARGEST}"
    return f"; did you mean {number}{', without quotes' if number == value else ''}"


def flag() -> Form:
    """true or false, and no other word for them."""

    def check(value: object) -> bool:
        if isinstance(value, bool):
            return value
        word = str(value).lower()
        near = "true" if word in ("yes", "on", "y", "true", "1") else "false" if word in _NO else ""
        hint = f"; did you mean {near}{', without quotes' if value in ('true', 'false') else ''}" if near else ""
        raise ValueError(f"{written(value)} is neither true nor false{hint}")

    return Form(check, {"type": "boolean"})


_NO = ("no", "off", "n", "false", "0")


def choice(kind: type[Choice]) -> Form:
    """One of an Enum's words."""

    def check(value: object) -> Choice:
        for member in kind:
            if type(value) is str and member.value == value:
                return member
        raise ValueError(not_one_of(value, [str(member.value) for member in kind]))

    return Form(check, one_of(kind))


def not_one_of(value: object, words: Iterable[str]) -> str:
    """What to say of a value that is none of the words."""
    words = list(words)
    return f"{written(value)} is not one of {', '.join(words)}{meant(str(value), words)}"


def text(most: int, pattern: str = r".+", form: str = "") -> Form:
    """A text of 1 to `most` characters; a number or true stands for its own digits or letters."""

    def check(value: object) -> str:
        if isinstance(value, bool):
            value = written(value)
        if not isinstance(value, (str, int)):
            raise ValueError(f"{written(value)} is no text")
        word = str(value)
        if not 1 <= len(word) <= most:
            raise ValueError(f"a text of {len(word)} characters; write 1 to {most}")
        if not re.fullmatch(pattern, word):
            raise ValueError(f"{written(word)} is not allowed; write {form}")
        return word

    types = ["string"]
    if re.fullmatch(pattern, "1.5"):
        types.append("number")
    elif re.fullmatch(pattern, "1"):
        types.append("integer")
    if re.fullmatch(pattern, "true"):
        types.append("boolean")
    plain: JsonSchema = {"type": types[0] if types == ["string"] else types, "minLength": 1, "maxLength": most}
    if "integer" in types and not re.fullmatch(pattern, "-1"):
        plain["minimum"] = 0
    return Form(check, {**plain, "pattern": f"^(?:{pattern})$"})


# Odds and percentages, exact

_ODDS_FORM = "write odds to one as 8:1 or 19:20, or 12 for 1"
_NUMBER = r"[1-9][0-9]{0,18}"
_DECIMAL = r"([0-9]{1,18}(?:\.[0-9]{1,9})?)"
_RATIO = re.compile(rf"{_DECIMAL} ?: ?{_DECIMAL}")
_NO_COLON = re.compile(r"([0-9]{1,9})(?:[.,;/-]| to | - | )([0-9]{1,9})")


def odds(value: object) -> Fraction:
    """Odds to one: `8:1`, `19:20`, or `12 for 1`, which gives the stake back in the 12."""
    if isinstance(value, str):
        if match := re.fullmatch(rf"({_NUMBER}):({_NUMBER})", value):
            return _within(int(match[1]), int(match[2]))
        if match := re.fullmatch(rf"({_NUMBER}) for ({_NUMBER})", value):
            won = _within(int(match[1]), int(match[2])) - 1
            if won > 0:
                return won
            raise ValueError(f"{written(value)} wins nothing; {_ODDS_FORM}")
    raise ValueError(f"{written(value)} is not how odds are written; {_ODDS_FORM}{_odds_meant(value)}")


def _within(over: int, under: int) -> Fraction:
    if max(over, under) > LARGEST:
        raise ValueError(f"odds beyond {LARGEST}")
    return Fraction(over, under)


def _up_to(most: int) -> str:
    """The pattern of the whole numbers from 1 to `most`, of two digits or more, without noughts before them."""
    digits = str(most)
    larger = [
        f"{digits[:place]}[{'1' if place == 0 else '0'}-{int(digit) - 1}][0-9]{{{len(digits) - place - 1}}}"
        for place, digit in enumerate(digits)
        if int(digit) > (place == 0)
    ]
    return "|".join([f"[1-9][0-9]{{0,{len(digits) - 2}}}", *larger, digits])


def _odds_meant(value: object) -> str:
    """`; did you mean 8:1` for 8, 8.1, 8-1, 8 to 1, 08:1, 0.95:1, 1e3, 481, or empty."""
    guess = None
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        a, b = divmod(value, 60)
        # 8:1 is 481 where a program reads it to base 60, and so writes it back.
        guess = f"{a}:{b}" if a and b == 1 else f"{value}:1"
    elif isinstance(value, str):
        plain = unicodedata.normalize("NFKC", value).strip()
        if match := _RATIO.fullmatch(plain) or _NO_COLON.fullmatch(plain):
            guess = _ratio(match[1], match[2])
        elif match := re.fullmatch(r"([0-9]{1,9})(?:e\+?([0-9]))?", plain):
            guess = _ratio(match[1] + "0" * int(match[2] or 0), "1")
    return f"; did you mean {guess}" if guess else ""


def _ratio(over: str, under: str) -> str | None:
    if not Fraction(over) or not Fraction(under):
        return None
    ratio = Fraction(over) / Fraction(under)
    whole_numbers = f"{over.lstrip('0')}:{under.lstrip('0')}"
    return (
        whole_numbers
        if re.fullmatch(rf"{_NUMBER}:{_NUMBER}", whole_numbers)
        else f"{ratio.numerator}:{ratio.denominator}"
    )


def percent(value: object) -> Fraction:
    """`5%`, also `4.5%`, as the exact part of one: from 0 % to less than 100 %."""
    match = re.fullmatch(r"(0|[1-9][0-9]?)(\.[0-9]{1,6})?%", value) if isinstance(value, str) else None
    if match:
        return Fraction(match[1] + (match[2] or "")) / 100
    form = "write a percentage below 100 as 5% or 4.5%"
    raise ValueError(f"{written(value)} is not how a percentage is written; {form}{_percent_meant(value)}")


def _percent_meant(value: object) -> str:
    plain = str(value).replace(" ", "")
    guess = None
    if match := re.fullmatch(r"0?\.([0-9]{1,4})", plain):
        guess = Fraction(f"0.{match[1]}") * 100
    elif match := re.fullmatch(r"([0-9]{1,3})(?:[eE]-2|%)?", plain):
        guess = Fraction(match[1])
    return f"; did you mean {guess.numerator}%" if guess and guess.denominator == 1 and guess < 100 else ""


_WITHIN = f"(?:{_up_to(LARGEST)})"
ODDS = Form(odds, {"type": "string", "pattern": f"^{_WITHIN}(:| for ){_WITHIN}$", "description": _ODDS_FORM})
PERCENT = Form(percent, {"type": "string", "pattern": r"^(0|[1-9][0-9]?)(\.[0-9]{1,6})?%$", "description": "as 5%"})
