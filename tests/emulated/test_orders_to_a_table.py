"""What a table is asked over its control socket, and with `punto ctl`: orders, refusals, events, and bad manners."""

import contextlib
import json
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from controller.host.client import Client
from drivers.shoes.simulated_cards import BurnRule
from tests.emulated.program import Ended, Program, punto, until
from tests.emulated.rig import Begin, Rig

pytestmark = pytest.mark.untraced


@pytest.fixture
def rig(begin: Begin) -> Rig:
    rig = begin().start()
    rig.begins_shoe()
    return rig


def ctl(rig: Rig, *words: object) -> Ended:
    return punto(rig.folder, "ctl", "--control", rig.control, *words)


BAD_STAKES = ["0", "1.5", "ten", "", "9223372036854775808", "-10000", "1" + "0" * 60, "1e4", "10_000", "+10000"]


def test_a_stake_that_is_none_is_refused(rig: Rig) -> None:
    for stake in BAD_STAKES:
        ended = ctl(rig, "bet", "1", "player", stake)
        assert ended.code == 1, stake
        assert ended.complaint.startswith("refused bad-stake: ")
    assert rig.state()["bets"] == []


NOT_LAWFUL: list[tuple[tuple[str, ...], str]] = [
    (("bet", "4", "player", "10000"), "unknown-seat"),
    (("bet", "0", "player", "10000"), "unknown-seat"),
    (("bet", "one", "player", "10000"), "unknown-seat"),
    (("bet", "1", "dragon", "10000"), "unknown-wager"),
    (("bet", "1", "player\x1b[31m", "10000"), "unknown-wager"),
    (("bet", "1", "", "10000"), "unknown-wager"),
    (("bet", "1", "player", "9999"), "below-minimum"),
    (("bet", "1", "player", "10001"), "not-multiple"),
    (("bet", "1", "player", "5010000"), "above-maximum"),
    (("withdraw", "1"), "no-bet"),
    (("open-bets",), "not-now"),
    (("confirm",), "not-now"),
    (("start-shoe",), "not-now"),
    (("void",), "not-now"),
    (("resume",), "not-held"),
    (("reveal",), "not-now"),
    (("collect", "1"), "nothing-owed"),
    (("card", "player-1", "2H", "--reason", "seen"), "not-held"),
    (("card", "player-4", "2H", "--reason", "seen"), "bad-place"),
    (("card", "player-1", "10H", "--reason", "seen"), "bad-card"),
    (("card", "player-1", "2H", "--reason", ""), "no-reason"),
]


def test_an_order_that_is_not_lawful_is_refused_in_one_line(rig: Rig) -> None:
    for words, refused in NOT_LAWFUL:
        ended = ctl(rig, *words)
        assert ended.code == 1, words
        assert ended.complaint.startswith(f"refused {refused}: "), words
        assert "\x1b" not in ended.err
        assert ended.out == ""


def test_bets_add_up_and_are_taken_back(rig: Rig) -> None:
    assert ctl(rig, "bet", 1, "player", 10000).code == 0
    assert ctl(rig, "bet", 1, "player", 20000).lines == ["done: bet; betting, shoe 1, coup 1"]
    assert ctl(rig, "bet", 1, "tie", 10000).code == 0
    assert rig.state()["bets"][0]["stake"] == 30000
    assert ctl(rig, "withdraw", 1, "player").code == 0
    assert rig.state()["bets"] == [{"seat": 1, "wager": "tie", "stake": 10000}]
    assert ctl(rig, "close-bets").code == 0
    assert ctl(rig, "bet", 1, "player", 10000).complaint.startswith("refused bets-closed")
    assert ctl(rig, "withdraw", 1).complaint.startswith("refused bets-closed")
    assert ctl(rig, "open-bets").code == 0


def test_how_far_the_burn_is(begin: Begin) -> None:
    rig = begin(("4C", "KH", "KS", "KC", "TD"), burn=BurnRule("first-card")).start()
    rig.does("start-shoe")
    rig.shoe.draws(3)
    rig.sees("CardBurned", number=2)
    assert "burn: 2 of 4 cards out" in ctl(rig, "state").lines


def test_the_state_is_told_in_lines_and_in_json(rig: Rig) -> None:
    rig.bets(1, "player", 10000)
    rig.deals(5)
    told = ctl(rig, "state")
    assert told.code == 0
    assert told.lines[:4] == [
        "table demo: banker-rule, shoe 1, coup 1  SIMULATION",
        "player: 2H 2S 4D = 8",
        "banker: 3C KD = 3",
        "next: banker-3",
    ]
    state = json.loads(ctl(rig, "--json", "state").out)
    assert (state["phase"], state["next"], state["due"]) == ("banker-rule", "banker", "banker-3")
    assert (state["player_total"], state["banker_total"], state["simulated"]) == (8, 3, True)
    assert state["held"] is None
    rig.shoe.draws()
    rig.sees("CoupSettled")
    assert "last: player 8-4, house -10000" in ctl(rig, "state").lines
    assert ctl(rig, "ledger").lines == ["total: 0"]


def test_an_id_that_was_carried_out_is_answered_again_and_does_nothing(rig: Rig) -> None:
    first = ctl(rig, "--json", "--id", "touch-7", "bet", 1, "player", 10000)
    again = ctl(rig, "--json", "--id", "touch-7", "bet", 1, "player", 10000)
    assert first.out == again.out
    other = ctl(rig, "--json", "--id", "touch-7", "close-bets")
    assert other.out == first.out
    assert (rig.state()["phase"], rig.state()["bets"][0]["stake"]) == ("betting", 10000)


def test_a_refused_id_may_be_asked_again_when_it_is_lawful(rig: Rig) -> None:
    assert ctl(rig, "--id", "c", "confirm").code == 1
    rig.deals(6)
    rig.sees("CoupSettled")
    assert ctl(rig, "--id", "c", "confirm").code == 0


def test_no_table_there(tmp_path: Path) -> None:
    ended = punto(tmp_path, "ctl", "--control", tmp_path / "nothing", "state")
    assert ended.code == 2
    assert "is it running?" in ended.complaint
    assert punto(tmp_path, "ctl", "state").code == 2
    assert punto(tmp_path, "ctl", "--table", "../x", "state").code == 2
    run_dir = {"XDG_RUNTIME_DIR": str(tmp_path)}
    assert "demo.control" in punto(tmp_path, "ctl", "--table", "demo", "state", environment=run_dir).complaint


def test_the_default_paths_are_found_by_the_tables_id(begin: Begin, tmp_path: Path) -> None:
    rig = begin()
    homes = {"XDG_RUNTIME_DIR": str(tmp_path / "run"), "XDG_STATE_HOME": str(tmp_path / "state")}
    line = ["run", rig.table_file, "--shoe-port", rig.shoe.url, "--display-port", rig.panel.url]
    program = Program(rig.folder, *line, environment=homes)
    rig.others.append(program)
    program.says("ready table=demo")
    assert punto(tmp_path, "ctl", "--table", "demo", "state", environment=homes).code == 0
    assert (tmp_path / "state" / "punto" / "demo.journal").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "run" / "punto" / "demo.control").stat().st_mode & 0o777 == 0o600


def follows(rig: Rig, *words: object) -> Iterator[dict[str, Any]]:
    """The lines of `punto ctl events`, as they come."""
    program = Program(rig.folder, "ctl", "--control", rig.control, "events", *words)
    rig.others.append(program)
    lines = 0
    while True:
        lines += 1
        until(partial(has_printed, program, lines))
        yield json.loads(program.out_file.read_text().splitlines()[lines - 1])


def has_printed(program: Program, lines: int) -> bool:
    return program.out_file.read_text().count("\n") >= lines


def test_events_are_told_as_they_are_committed(rig: Rig) -> None:
    until(lambda: rig.state()["links"]["display"] == "up")  # at any moment from the start on
    following = follows(rig)
    told = [next(following) for _ in range(4)]
    assert [event["seq"] for event in told] == [1, 2, 3, 4]
    kinds = [event["event"] for event in told]
    assert [kind for kind in kinds if kind != "LinkCameUp"] == ["ControllerStarted", "ShoeBegun", "BetsOpened"]
    rig.does("close-bets")
    assert next(following)["event"] == "BetsClosed"
    later = follows(rig, "--after", 3)
    assert next(later)["event"] == kinds[3]
    assert next(later)["event"] == "BetsClosed"
    rig.stop()
    ended = rig.others[-1].wait()
    assert ended.code == 2
    assert "closed the connection" in ended.complaint


def test_events_after_something_that_is_no_number(rig: Rig) -> None:
    for after in ("-1", "x", "1.5", "٣", "99999999999999999999"):
        ended = ctl(rig, "events", f"--after={after}")
        assert ended.code == 2, after
        assert "a whole number from 0 is needed" in ended.complaint


# Bad manners on the socket.


def connects(rig: Rig) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(15)
    until(lambda: line.connect_ex(str(rig.control)) == 0)  # so many may wait to be let in; then one tries again
    return line


def answers(line: socket.socket, count: int) -> list[dict[str, Any]]:
    received = b""
    while received.count(b"\n") < count:
        data = line.recv(65536)
        assert data, received
        received += data
    return [json.loads(each) for each in received.splitlines()]


BAD_LINES = [
    b"close-bets",
    b"[]",
    b"7",
    b"{}",
    b'{"id": "a"}',
    b'{"id": 7, "do": "state"}',
    b'{"id": "", "do": "state"}',
    b'{"id": "a", "do": 7}',
    b'{"id": "a", "do": "state", "do": "void"}',
    b'{"id": "a", "do": "bet", "seat": 1, "wager": "player", "stake": 1.5}',
    b'{"id": "a", "do": "bet", "seat": 1, "wager": "player", "stake": NaN}',
    b'{"id": "a", "do": "bet", "seat": 1, "wager": "player", "stake": 1' + b"0" * 5000 + b"}",
    b'{"id": "' + b"x" * 200 + b'", "do": "state"}',
    b'{"id": "a", "do": "events", "after": -1}',
    b"\xff\xfe{}",
    b"[" * 20000,
]


def test_lines_that_are_no_orders_are_answered_and_the_table_goes_on(rig: Rig) -> None:
    line = connects(rig)
    for bad in BAD_LINES:
        line.sendall(bad + b"\n")
        (answer,) = answers(line, 1)
        assert (answer["ok"], answer["refused"]) == (False, "bad-request"), (bad, answer)
        assert answer["text"]
        assert "\n" not in answer["text"]
    line.sendall(b'{"id": "b", "do": "state"}\n')
    assert answers(line, 1)[0]["phase"] == "betting"
    line.close()
    assert rig.refuses("deal-faster") == "unknown-order"
    assert rig.refuses("close-bets", why="hurry") == "bad-request"
    assert rig.refuses("state", of="all") == "bad-request"
    assert rig.refuses("bet", seat=True, wager="player", stake=10000) == "unknown-seat"
    assert rig.refuses("bet", seat=1, wager=["player"], stake=10000) == "unknown-wager"
    assert rig.refuses("bet", seat=1, wager="player", stake="10000") == "bad-stake"
    assert rig.refuses("bet") == "unknown-seat"


def test_a_line_without_an_end_is_cut_off(rig: Rig) -> None:
    line = connects(rig)
    line.sendall(b"x" * 70_000)
    (answer,) = answers(line, 1)
    assert "longer than" in answer["text"]
    assert line.recv(1) == b""
    line.close()
    assert rig.state()["phase"] == "betting"


def test_forty_clients_at_once(rig: Rig) -> None:
    lines = [connects(rig) for _ in range(40)]
    answered = 0
    for line in lines:
        with contextlib.suppress(OSError):
            line.sendall(b'{"id": "a", "do": "state"}\n')
        data = line.recv(65536)
        answered += b'"ok":true' in data
        assert data, "everybody is told something"
    assert 28 <= answered <= 32
    for line in lines:
        line.close()
    until(lambda: rig.ask("state")["ok"])
    rig.does("close-bets")


def test_orders_asked_in_one_go_are_answered_in_their_order(rig: Rig) -> None:
    line = connects(rig)
    asked = b"".join(b'{"id": "%d", "do": "%s"}\n' % (n, (b"close-bets", b"open-bets")[n % 2]) for n in range(40))
    line.sendall(asked)
    told = answers(line, 40)
    line.close()
    assert [answer["id"] for answer in told] == [str(n) for n in range(40)]
    assert all(answer["ok"] for answer in told)


def test_one_who_never_reads_his_events_costs_the_table_nothing(rig: Rig) -> None:
    slow = connects(rig)
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.sendall(b'{"id": "e", "do": "events"}\n')
    for _ in range(150):
        rig.does("close-bets", "open-bets")
    told = Client(rig.control).events(0, 15)
    seen = [next(told)["seq"] for _ in range(304)]
    assert seen == list(range(1, 305))
    lines = answers(slow, 305)
    assert [event["seq"] for event in lines[1:305]] == seen
    slow.close()


def test_two_at_once_confirm_once(rig: Rig) -> None:
    """Fault 78: two consoles, and a nervous finger."""
    rig.deals(6)
    rig.sees("CoupSettled")
    lines = [connects(rig) for _ in range(4)]
    for number, line in enumerate(lines):
        line.sendall(b'{"id": "c%d", "do": "confirm"}\n' % number * 2)
    told = [answer for line in lines for answer in answers(line, 2)]
    for line in lines:
        line.close()
    assert sum(answer["ok"] for answer in told) == 2, "the one that confirmed, and its repetition"
    assert rig.recorded("CoupConfirmed") == 1
