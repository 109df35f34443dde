"""Irregularities: what the house does about each. One policy so far, the same for every house.

`resume` is what may end a hold other than `void`; `say` what the person at the table is told to do.
"""

from dataclasses import dataclass
from enum import Enum

from controller.table.events import HoldReason


class ResumeWhen(Enum):
    """When an order to resume is lawful."""

    AT_ONCE = "at once"
    CARD_KNOWN = "once the card was entered or came"
    LINE_READS = "once a good report came"
    LINK_UP = "once the line is open again"
    FAULT_OVER = "once the shoe says that its error is over"
    NEW_SHOE = "never: a shoe is started instead"
    NEVER = "never: the coup is void"


@dataclass(frozen=True, slots=True)
class Procedure:
    """How a hold ends, and the sentence that tells a person so."""

    resume: ResumeWhen
    say: str


PROCEDURES: dict[HoldReason, Procedure] = {
    HoldReason.PRE_CLOSE_CARD: Procedure(
        ResumeWhen.AT_ONCE, "resume closes the bets and takes it as Player's first card; or void"
    ),
    HoldReason.EXCESS_CARD: Procedure(ResumeWhen.AT_ONCE, "resume goes on without the card; or void"),
    HoldReason.WRONG_TARGET: Procedure(ResumeWhen.NEVER, "check the cards on the table, then void"),
    HoldReason.CARD_CONFLICT: Procedure(ResumeWhen.AT_ONCE, "resume keeps the first one; or void"),
    HoldReason.UNREADABLE: Procedure(
        ResumeWhen.CARD_KNOWN, "enter the card (card PLACE CARD --reason TEXT), then resume; or void"
    ),
    HoldReason.FOREIGN_CARD: Procedure(ResumeWhen.NEVER, "check the shoe, then void"),
    HoldReason.SHOE_EMPTY: Procedure(ResumeWhen.NEVER, "check the shoe, then void"),
    HoldReason.BURN_DIFFERS: Procedure(ResumeWhen.AT_ONCE, "resume takes the burn as it is"),
    HoldReason.REPORT_LOST: Procedure(
        ResumeWhen.AT_ONCE, "compare the cards on the table, enter one that is missing, then resume; or void"
    ),
    HoldReason.REPORT_UNCONFIRMED: Procedure(
        ResumeWhen.AT_ONCE, "compare the cards on the table, enter one that is missing, then resume; or void"
    ),
    HoldReason.LINE_UNREADABLE: Procedure(
        ResumeWhen.LINE_READS, "check baud rate, cable and plug of the shoe; resume once it reads again"
    ),
    HoldReason.SHOE_ERROR: Procedure(ResumeWhen.FAULT_OVER, "clear the error at the shoe, then resume; or void"),
    HoldReason.CARD_OUTSIDE_PLAY: Procedure(ResumeWhen.AT_ONCE, "check where that card is, then resume; or void"),
    HoldReason.SHOE_LINK_LOST: Procedure(
        ResumeWhen.LINK_UP, "plug the cable in, check the cards on the table, then resume; or void"
    ),
    HoldReason.SHOE_RESTARTED: Procedure(ResumeWhen.AT_ONCE, "compare the cards on the table, then resume; or void"),
    HoldReason.SHOE_UNKNOWN: Procedure(ResumeWhen.NEW_SHOE, "start the shoe (start-shoe)"),
    HoldReason.SHOE_RESULT_DIFFERS: Procedure(
        ResumeWhen.AT_ONCE, "compare the cards on the table; resume keeps our result; or void"
    ),
    HoldReason.PROGRAM_CHANGED: Procedure(
        ResumeWhen.AT_ONCE, "accept it (accept-change --name NAME --reason TEXT), or start again with what was before"
    ),
    HoldReason.DISK: Procedure(ResumeWhen.AT_ONCE, "free or repair the disk, then resume"),
}

assert set(PROCEDURES) == set(HoldReason)
