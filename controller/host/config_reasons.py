"""What a check may find wrong or unusual in one wager, by the id that `accept: [id]` on the wager excuses it with."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from controller.host.config_file import Finding
from controller.host.config_values import meant
from controller.host.yaml_strict import Document, Keys

REASONS = {
    "favours-players": "the players win more of it than the house (an error)",
    "rounding-favours-players": "rounding makes it so at a stake that the table allows (an error)",
    "rounding-unknown": "rounding so fine beside the odds that not every stake could be looked at",
    "never-pays": "a tier that no coup meets, or that earlier tiers leave nothing to",
    "never-pushes": "a push that no coup meets",
    "pays-nothing": "rounding leaves nothing of a win at the least stake that the table allows",
    "not-payable": "a win of a stake that no limit of the table forbids, and that rounding does not allow",
    "odds-unusual": "odds above 1000:1",
    "commission-unusual": "a commission above 25%",
    "odds-differ": "odds more than twice, or less than half, what the same wager pays in the catalogue",
    "commission-differs": "the same of its commission",
}
"""Errors where it says so; all others are warnings."""


_COMMENT = re.compile(r"(?:^|\s)#")


class Reasoned(NamedTuple):
    """A finding and the id of its reason."""

    reason: str
    finding: Finding


def reasoned(document: Document, keys: Keys, reason: str, text: str) -> Reasoned:
    """A finding at these keys, of a whole wager at its name; the id stands behind what is wrong, for `accept`."""
    assert reason in REASONS, f"{reason} is no reason"
    return Reasoned(reason, document.finding(keys, f"{text} [{reason}]", on_key=len(keys) == 2))


def accepted(document: Document, wager: str) -> frozenset[str]:
    """The reasons that the file accepts for this wager."""
    listed = document.at("wagers", wager, "accept")
    return frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()


def unfounded(document: Document, wager: str) -> Iterator[Finding]:
    """Warnings: an accepted reason that no check gives, and one accepted without a comment that says why."""
    here = ("wagers", wager, "accept")
    listed = document.at(*here)
    reasons = listed if isinstance(listed, list) else []
    if reasons and here in document.key_spots:
        first, last = document.key_spots[here].line, document.value_spots[*here, len(reasons) - 1].line
        near = document.source.text.split("\n")[max(0, first - 2) : last]
        if not any(_COMMENT.search(each) for each in near):
            yield document.finding(here, "accepted without a comment; write why behind a # here or on the line before")
    for index, reason in enumerate(reasons):
        if reason not in REASONS:
            hint = meant(str(reason), REASONS) or f"; known are {', '.join(REASONS)}"
            yield document.finding(("wagers", wager, "accept", index), f"no check gives this reason{hint}")
