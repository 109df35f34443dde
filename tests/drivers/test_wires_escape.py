"""Text from devices in one harmless line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.escape import escaped


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("8H", "8H"),
        ("two\nlines\r", r"two\x0alines\x0d"),
        ("\x1b[31mred\x9b", r"\x1b[31mred\x9b"),
        ("\u202etxt.exe", r"\u{202e}txt.exe"),
        ("caf\xe9 \U0001f0a1 \udc80", r"caf\xe9 \u{1f0a1} \u{dc80}"),
        ("tab\tnul\0del\x7f", r"tab\x09nul\x00del\x7f"),
    ],
)
def test_what_is_not_printable_ascii_is_spelled_out(text: str, line: str) -> None:  # fault 82
    assert escaped(text) == line


def test_a_megabyte_is_cut_and_the_cut_is_shown() -> None:  # fault 82
    assert escaped("x" * 1_000_000, 10) == "xxxxxxx..."
    assert escaped("x" * 10, 10) == "x" * 10


def test_no_escape_is_cut_in_two() -> None:
    assert escaped("abcde\n\n", 10) == "abcde..."


@given(st.text(), st.integers(3, 50))
def test_any_text_is_one_printable_line_within_its_bound_and_stays_so(text: str, most: int) -> None:
    line = escaped(text, most)
    assert len(line) <= most
    assert all(" " <= character <= "~" for character in line)
    assert escaped(line, most) == line
