"""Between wires and the table: every report has its input, every board its picture."""

from typing import get_args

import pytest
from live_parts import NotedJournal, live_table, rules_with

from controller.game.cards import parse_card
from controller.host.translate import display_input, major_units, panel_picture, shoe_input
from controller.host.words import NOTICES
from controller.table import inputs
from controller.table.board import Notice, view
from controller.table.inputs import CardRead, CloseBets, Confirm, StartShoe, Target
from drivers import contracts as wire

REPORTS: list[tuple[wire.Report, inputs.Input]] = [
    (wire.CardDrawn("player", 1, "TH"), CardRead(7, Target.PLAYER, 1, parse_card("TH"))),
    (wire.CardDrawn("burn", 4, None), CardRead(7, Target.BURN, 4, None)),
    (wire.CardOutsidePlay("lock", "TH"), inputs.CardOutsidePlay(7, "lock", parse_card("TH"))),
    (wire.CardOverdrawn("player", 1, "TH"), inputs.CardOverdrawn(7, parse_card("TH"))),
    (wire.ShoeStart(), inputs.ShoePowered(7)),
    (wire.CutCard(), inputs.CutCardOut(7)),
    (wire.OwnResult("tie", "both"), inputs.ShoeResult(7, "tie", "both")),
    (wire.DeviceError(2, error_mode=True), inputs.ShoeFault(7, 2)),
    (wire.DeviceErrorCleared(2), inputs.ShoeFaultCleared(7, 2)),
    (wire.StandBy(), inputs.ShoeNoted(7, "stand by")),
    (wire.LockChanged(locked=True), inputs.ShoeNoted(7, "key turned: locked")),
    (wire.PresetChanged("01 0005"), inputs.ShoeNoted(7, "setting changed: 01 0005")),
    (wire.ReportLost(3, 5), inputs.ReportMissed(7, 3, 5)),
    (wire.ReportUnconfirmed("card"), inputs.ReportUnconfirmed(7, "card")),
    (wire.LineUnreadable(20), inputs.LineUnreadable(7, 20)),
    (wire.FramesDamaged(3), inputs.FramesDamaged(7, 3)),
    (wire.LinkDown("why"), inputs.LinkLost(7, inputs.Link.SHOE, "why")),
    (wire.LinkUp(), inputs.LinkRestored(7, inputs.Link.SHOE)),
]


def test_every_report_of_a_shoe_is_an_input() -> None:
    for report, what in REPORTS:
        assert shoe_input(report, 7) == what
    assert {type(report) for report, _ in REPORTS} == set(get_args(wire.Report))


def test_what_a_display_says() -> None:
    assert display_input(wire.DisplayUp("model"), 7) == inputs.LinkRestored(7, inputs.Link.DISPLAY)
    assert display_input(wire.DisplayDown("why"), 7) == inputs.LinkLost(7, inputs.Link.DISPLAY, "why")
    assert display_input(wire.KeyPressed("confirm", 9, current=True), 7) == Confirm(7)


@pytest.mark.parametrize(
    "key",
    [
        wire.KeyPressed("confirm", 8, current=False),
        wire.KeyPressed("void", 9, current=True),
        wire.KeyPressed("resume", 9, current=True),
        wire.KeyPressed("dance", 9, current=True),
    ],
)
def test_an_old_key_or_one_that_is_not_the_dealers_is_nothing(key: wire.KeyPressed) -> None:
    assert display_input(key, 7) is None


@pytest.mark.parametrize(
    ("amount", "decimals", "printed"),
    [(10000, 2, "100"), (150, 2, "1.50"), (5, 2, "0.05"), (7, 0, "7"), (12345, 4, "1.2345"), (None, 2, "")],
)
def test_amounts_as_printed_on_the_layout(amount: int | None, decimals: int, printed: str) -> None:
    assert major_units(amount, decimals) == printed


def test_the_picture_of_a_coup() -> None:
    rules = rules_with()
    table = live_table(rules, NotedJournal())
    table.order(StartShoe(1), "1")
    table.order(CloseBets(2), "2")
    for place, card in zip(
        (("player", 1), ("banker", 1), ("player", 2), ("banker", 2)), ["9H", "2C", "KS", "3D"], strict=True
    ):
        table.take(CardRead(3, Target(place[0]), place[1], parse_card(card)))
    picture = panel_picture(rules, view(table.state, 3))
    coup = picture.coup
    assert (coup.phase, coup.call, coup.outcome, coup.natural) == ("settling", "player-wins", "player", "player")
    assert (coup.player, coup.banker, coup.next) == (("9H", "KS"), ("2C", "3D"), "none")
    assert "player:1:1" in coup.wins
    assert (picture.road.shoe, picture.road.codes) == (1, "PN")
    assert picture.limits[0].wager == "player"
    assert (picture.limits[0].minimum, picture.limits[0].maximum, picture.limits[0].odds) == ("100", "50000", "1:1")
    assert picture.limits[1].odds == "19:20"


def test_a_win_is_shown_at_the_odds_of_the_limits_sign() -> None:
    """Banker at even money less 5 %: 19:20 in both places."""
    rules = rules_with()
    table = live_table(rules, NotedJournal())
    table.order(StartShoe(1), "1")
    table.order(CloseBets(2), "2")
    for place, card in zip(
        (("player", 1), ("banker", 1), ("player", 2), ("banker", 2)), ["2C", "9H", "3D", "KS"], strict=True
    ):
        table.take(CardRead(3, Target(place[0]), place[1], parse_card(card)))
    picture = panel_picture(rules, view(table.state, 3))
    assert "banker:19:20" in picture.coup.wins
    assert [row.odds for row in picture.limits if row.wager == "banker"] == ["19:20"]


def test_every_notice_has_its_sentence_in_every_language() -> None:
    for language, sentences in NOTICES.items():
        assert set(sentences) == set(Notice), language
        assert all(sentence or notice is Notice.NONE for notice, sentence in sentences.items())
        assert all(len(sentence) <= 100 for sentence in sentences.values())
