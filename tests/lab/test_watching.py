"""Progress shows on a terminal and nowhere else."""

import sys

import pytest

from controller.lab.watching import last, watched


def test_away_from_a_terminal_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched(range(3), "counting", str)) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_it_says_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[int] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    def say(number: int) -> str:
        said.append(number)
        return str(number)

    assert list(watched(range(1001), "counting", say)) == list(range(1001))
    assert said == [0, 500, 1000]
    assert capsys.readouterr().out == ""


def test_the_last_of_many() -> None:
    assert last(iter("abc")) == "c"
