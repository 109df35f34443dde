"""What a test does to the program from inside, before it begins. Each of these runs in the child process."""

import os
from pathlib import Path

from controller.host.journal import DiskTrouble, Journal

NOBODY = 65534
FULL = "PUNTO_TEST_DISK_IS_FULL_WHILE"


def become_nobody() -> None:
    """Give up the rights of root, for whom nothing is forbidden."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def disk_that_fills() -> None:
    """Nothing can be written while the file named by FULL is there; a number in it is how many writes still fit."""
    flag = Path(os.environ[FULL])
    write = Journal.write

    def write_if_it_fits(journal: Journal, *arguments: object, **options: object) -> list[int]:
        if flag.exists():
            left = int(flag.read_text() or "0")
            if left <= 0:
                raise DiskTrouble("journal could not be written: no space is left: free some space", final=False)
            flag.write_text(str(left - 1))
        return write(journal, *arguments, **options)  # type: ignore[arg-type]

    Journal.write = write_if_it_fits  # type: ignore[method-assign]


def a_log_that_takes_nothing() -> None:
    """Its stderr is a file on a disk that is full."""
    os.dup2(os.open("/dev/full", os.O_WRONLY), 2)


def forget_a_guard() -> None:
    """A fault of the program itself: the answer to an order cannot be given."""
    from controller.host import answers

    def broken(*_: object) -> dict[str, object]:
        raise AssertionError("a place that holds\nno card")

    answers.order_answer = broken  # type: ignore[assignment]


def every_journal_is_large() -> None:
    """As after many months."""
    from controller.host import self_check

    self_check.WHOLE_CHECK_BYTES = 0


def hurry() -> None:
    """A dealer's hand that needs no time."""
    from controller.host import simulated_hand

    simulated_hand.PACE_MS, simulated_hand.COPY_GAP_MS = 10, 1


def other_program() -> None:
    """The program was changed: another version, with another tableau."""
    from controller.host import startup

    known = startup.identity()
    other = known | {"version": "9.9.9", "tableau": "a" * 64, "files": "b" * 64}
    startup.identity = lambda: other  # type: ignore[assignment]
