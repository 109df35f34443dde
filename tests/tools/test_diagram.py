"""The page of the machine: made from the rows, and never stale."""

from controller.table.machine import TRANSITIONS, Phase
from tools.diagram_program import PAGE, diagram, grid, main, page


def test_the_page_is_what_the_rows_say():
    assert PAGE.read_text(encoding="utf-8") == page(TRANSITIONS), "stale: run tools/diagram"
    assert main(["--check"]) == 0


def test_a_stale_page_is_told_and_left_as_it_is(tmp_path, capsys):
    stale = tmp_path / "MACHINE.md"
    assert main(["--check", "--page", str(stale)]) == 1
    assert not stale.exists()
    stale.write_text(page(TRANSITIONS[1:]), encoding="utf-8")
    assert main(["--check", "--page", str(stale)]) == 1
    assert "run tools/diagram" in capsys.readouterr().err
    assert main(["--page", str(stale)]) == 0
    assert main(["--check", "--page", str(stale)]) == 0


def test_every_row_shows_in_the_grid_and_in_the_diagram_if_it_has_no_held_or_tilt():
    for number, row in enumerate(TRANSITIONS):
        others = TRANSITIONS[:number] + TRANSITIONS[number + 1 :]
        assert grid(others) != grid(TRANSITIONS) or row.trigger == "resume"
        inside = not {row.source, row.dest} & {Phase.HELD, Phase.TILT}
        assert (diagram(others) != diagram(TRANSITIONS)) == inside


def test_the_grid_has_a_line_a_phase():
    lines = grid(TRANSITIONS).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| **{phase.value}**" for phase in Phase]
