"""The printed table is the rule: it prints back letter for letter, and one that is not whole stops the program."""

import hashlib

import pytest

from controller.game import tableau

PRINTED = """\
Player has     Player
0 1 2 3 4 5    draws
6 7            stands

Banker has     when Player stood
0 1 2 3 4 5    draws
6 7            stands

Banker has   draws on Player's third     stands on
0 1 2        every value                 -
3            0 1 2 3 4 5 6 7 9           8
4            2 3 4 5 6 7                 0 1 8 9
5            4 5 6 7                     0 1 2 3 8 9
6            6 7                         0 1 2 3 4 5 8 9
7            -                           every value
"""


def test_the_rule_as_understood_prints_as_the_table():
    assert tableau.printed() == PRINTED
    assert tableau.TABLEAU == PRINTED


def test_its_identity_is_the_hash_of_the_text():
    assert tableau.identity() == hashlib.sha256(PRINTED.encode()).hexdigest()


@pytest.mark.parametrize(
    ("line", "instead", "complaint"),
    [
        ("3            0 1 2 3 4 5 6 7 9           8", "3            0 1 2 3 4 5 6 7 8 9         8", "both draws and"),
        ("3            0 1 2 3 4 5 6 7 9           8", "3            0 1 2 3 4 5 6 7             8", "is not said"),
        ("6            6 7  ", "6            7 6  ", "out of order"),
        ("6            6 7  ", "6            6 6 7", "out of order"),
        ("6            6 7  ", "6            6 X  ", "are no values"),
        ("6            6 7  ", "6            6  7 ", "are no values"),
        ("6            6 7  ", "6           6 7   ", "out of line"),
        ("6            6 7  ", "6            6 ٧  ", "are no values"),
        ("5            4 5", "6            4 5", "has two rows"),
        ("7            -                           every value\n", "", r"\[7\] has no row"),
        ("7            -    ", "8            -    ", "goes beyond 7"),
        ("6 7            stands\n\nBanker has   ", "6 8            stands\n\nBanker has   ", "goes beyond 7"),
        ("0 1 2 3 4 5    draws\n", "0 1 2 3 4      draws\n", "is not said"),
        ("0 1 2 3 4 5    draws\n", "0 1 2 3 4 5 6  draws\n", "both draws and"),
        ("0 1 2 3 4 5    draws\n", "0 1 2 3 4 5    stands\n", "should say draws"),
        ("6 7            stands\n", "6 7            draws\n", "should say stands"),
        ("6 7            stands\n", "", "one row that draws and one that stands"),
        ("Player has     Player", "Player has     Banker", "should read"),
        ("stands on\n", "stands at\n", "should read"),
        ("\n\n", "\n", "three parts"),
    ],
)
def test_a_table_that_is_not_whole_is_refused_with_the_reason(line, instead, complaint):
    assert line in PRINTED
    with pytest.raises(AssertionError, match=complaint):
        tableau.read_tableau(PRINTED.replace(line, instead))


def test_another_whole_table_is_another_rule():
    """One cell moved: Banker's 3 would draw on an 8. The reader takes it, so only the tests above guard the cell."""
    row = "3            0 1 2 3 4 5 6 7 9           8"
    moved = tableau.read_tableau(PRINTED.replace(row, "3            every value                 -"))
    assert moved != tableau.read_tableau(PRINTED)
    assert moved.banker_draws_on_third[3] == frozenset(range(10))
