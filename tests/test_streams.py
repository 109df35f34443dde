"""Nobody to tell it to: the exit code of a verb and the work of a table are the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAYTABLE = "config/paytables/commission-5.yaml"
PUNTO = f"{sys.executable} -m controller"


def code_of(words: str, stderr: str) -> tuple[int, bytes]:
    """The exit code of a command of the shell, and what it printed, with its stderr so."""
    pipe = "exec 2> >(exit); sleep 0.1; " if stderr == "a pipe that ended" else ""
    to = {"closed": "2>&-", "a full disk": "2>/dev/full"}.get(stderr, "")
    ended = subprocess.run(["bash", "-c", f"{pipe}{words} {to}"], cwd=ROOT, check=False, stdout=subprocess.PIPE)
    return ended.returncode, ended.stdout


@pytest.mark.parametrize("stderr", ["closed", "a full disk", "a pipe that ended"])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("journal verify nowhere", 2),
        ("check nowhere.yaml", 2),
        ("check config/tables/demo.yaml", 0),
        ("frob", 2),
        (f"deal --paytable {PAYTABLE} < /dev/null", 0),
    ],
)
def test_the_exit_code_is_the_same_where_stderr_takes_nothing(words: str, code: int, stderr: str) -> None:
    found, printed = code_of(f"{PUNTO} {words}", stderr)
    assert found == code
    assert b"Traceback" not in printed
    assert b"nowhere" not in printed, "what is for stderr stands on stdout"


def test_a_closed_stream_gives_its_number_to_no_file_of_ours() -> None:
    look = "import os; from controller.streams import unfailing_stderr; m = unfailing_stderr(); m.__enter__();"
    look += " print(os.readlink('/proc/self/fd/2'))"
    assert code_of(f'{sys.executable} -c "{look}"', "closed") == (0, os.devnull.encode() + b"\n")
