"""Values as they stand in the record: what is written is read back as the same value, and odd text is refused."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_values import DEALT, DREW, HOUSE_RULES, RULES, TEN

from controller.game.cards import DECK, Card
from controller.game.coup import PLACES, Coup, Place
from controller.game.settlement import Bet, Line, Settlement
from controller.game.shoe import Inventory
from controller.game.wagers import Result as BetResult
from controller.host.record import (
    RecordUnreadable,
    dumps,
    event_from_plain,
    input_from_plain,
    loads,
    state_from_plain,
    to_plain,
)
from controller.table.events import CoupSettled, Event, HoldReason, ShoeEnded
from controller.table.inputs import EnterCard, Input, ProgramStarted, ShoeNoted
from controller.table.machine import Phase
from controller.table.rules import HouseRules
from controller.table.state import Hold, TableState, new_table

st.register_type_strategy(Card, st.sampled_from(DECK))
st.register_type_strategy(Place, st.sampled_from(PLACES))
st.register_type_strategy(HouseRules, st.just(HOUSE_RULES))
st.register_type_strategy(Fraction, st.fractions())

SETTLED = CoupSettled(
    1,
    7,
    Coup((TEN, TEN), (TEN, TEN)),
    (("tie", Fraction(8)), ("egalite", Fraction(19, 20))),
    ("player",),
    Settlement((Line(3, "tie", 100, BetResult.WIN, 1, Fraction(8), 0, 800, 900),), 100, 900, 0),
)


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_every_event_is_read_back_as_it_was(kind: type) -> None:
    @given(st.from_type(kind))
    @settings(max_examples=10, database=None, deadline=None)
    def round_trip(event: Event) -> None:
        assert event_from_plain(loads(dumps(to_plain(event, "event")))) == event

    round_trip()


@pytest.mark.parametrize("kind", get_args(Input), ids=lambda kind: kind.__name__)
def test_every_input_is_read_back_as_it_was(kind: type) -> None:
    @given(st.from_type(kind))
    @settings(max_examples=10, database=None, deadline=None)
    def round_trip(happened: Input) -> None:
        assert input_from_plain(loads(dumps(to_plain(happened, "input"))), RULES) == happened

    round_trip()


@given(st.from_type(TableState))
@settings(max_examples=30, database=None, deadline=None)
def test_a_state_is_read_back_as_it_was(state: TableState) -> None:
    assert state_from_plain(loads(dumps(to_plain(state, "state"))), RULES) == state


def test_a_held_state_keeps_its_cause_and_what_waits() -> None:
    hold = Hold(
        HoldReason.UNREADABLE, Phase.DEALING, "no rank", replace(DREW, card=None), waiting=(DREW, ShoeNoted(5, "P"))
    )
    state = new_table(HOUSE_RULES)._replace(
        hold=hold,
        inventory=Inventory.full(8).without(TEN),
        bets=(Bet(1, "tie", 5),),
        faults=frozenset({6, 2}),
    )
    plain = to_plain(state, "state")
    assert plain["faults"] == [2, 6]
    assert plain["rules"] == HOUSE_RULES.identity
    assert state_from_plain(loads(dumps(plain)), RULES) == state


def test_an_event_is_one_object_with_the_kind_first_and_the_fields_in_their_order() -> None:
    assert dumps(to_plain(DEALT, "event")) == (
        '{"event":"CardDealt","shoe":1,"coup":2,"place":"player-1","card":"TH","declared":false,"reason":"",'
        '"player_total":0,"banker_total":null}'
    )


def test_odds_are_fractions_and_a_settlement_is_nested() -> None:
    plain = to_plain(SETTLED, "event")
    assert plain["hands"] == {"player": ["TH", "TH"], "banker": ["TH", "TH"]}
    assert plain["wins"] == [["tie", "8/1"], ["egalite", "19/20"]]
    assert plain["settlement"] == {
        "lines": [
            {
                "seat": 3,
                "wager": "tie",
                "stake": 100,
                "result": "win",
                "tier": 1,
                "odds": "8/1",
                "commission": 0,
                "won": 800,
                "returned": 900,
            }
        ],
        "staked": 100,
        "returned": 900,
        "commission": 0,
    }


def test_house_rules_are_their_identity_and_reading_needs_them() -> None:
    started = next(kind for kind in get_args(Input) if kind is ProgramStarted)
    plain = {"input": "ProgramStarted", "at_ms": 1, "rules": "ab" * 32, "version": "1", "shoe_link": "up"}
    plain |= {"display_link": "none", "tableau": "", "transitions": "", "files": ""}
    assert isinstance(input_from_plain(plain, RULES), started)
    with pytest.raises(RecordUnreadable, match=r"ProgramStarted.rules: no house rules with the identity 'abab"):
        input_from_plain(plain, {})


def test_text_of_people_is_escaped_so_that_no_line_can_be_forged() -> None:
    entered = EnterCard(1, PLACES[0], TEN, 'seen\n{"event":"CoupConfirmed"}\x1b[2J\u202e')
    written = dumps(to_plain(entered, "input"))
    assert written.isascii()
    assert written.isprintable()
    assert input_from_plain(loads(written), RULES) == entered


GOOD = to_plain(DEALT, "event")


@pytest.mark.parametrize(
    ("plain", "trouble"),
    [
        ([], "[] is not an object"),
        ({}, "None is no event that this version knows"),
        ({"event": "CardsDealt"}, "'CardsDealt' is no event that this version knows"),
        ({"event": ["CardDealt"]}, "['CardDealt'] is no event that this version knows"),
        (GOOD | {"colour": "red"}, "CardDealt: the field 'colour' is unknown"),
        ({"event": "ShoeEnded", "shoe": 1, "coups": 2}, "ShoeEnded: the field 'returned' is missing"),
        (GOOD | {"card": "10H"}, "CardDealt.card: '10H' is not a card"),
        (GOOD | {"card": "th"}, "CardDealt.card: 'th' is not a card"),
        (GOOD | {"card": None}, "CardDealt.card: None is not a card"),
        (GOOD | {"place": "player-4"}, "CardDealt.place: 'player-4' is not a place"),
        (GOOD | {"shoe": True}, "CardDealt.shoe: True is not a whole number"),
        (GOOD | {"shoe": "1"}, "CardDealt.shoe: '1' is not a whole number"),
        (GOOD | {"declared": 0}, "CardDealt.declared: 0 is not true or false"),
        (GOOD | {"player_total": "0"}, "CardDealt.player_total: '0' is not a whole number"),
        (
            {"event": "BetsClosed", "coup": 1, "by": "me", "staked": 0},
            "BetsClosed.by: 'me' is not one of dealer, timer",
        ),
        ({"event": "BetsClosed", "coup": 1, "by": [], "staked": 0}, "BetsClosed.by: [] is not one of dealer, timer"),
    ],
)
def test_what_this_version_does_not_write_is_refused_in_one_line(plain: object, trouble: str) -> None:
    with pytest.raises(RecordUnreadable) as refused:
        event_from_plain(plain)
    assert str(refused.value).startswith(trouble)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "odds", ["8", "8:1", "8/0", "8/-1", "08/01/2", "٨/1", " 8/1", "1e3/1", 8, None, "9" * 50 + "/1"]
)
def test_odds_are_two_whole_numbers(odds: object) -> None:
    plain = to_plain(SETTLED, "event") | {"wins": [["tie", odds]]}
    with pytest.raises(RecordUnreadable, match=r"CoupSettled\.wins: .* is not a fraction"):
        event_from_plain(plain)


def test_a_trouble_deep_inside_is_named_with_its_way() -> None:
    plain = to_plain(SETTLED, "event") | {"hands": {"player": ["TH", "XX"], "banker": []}}
    with pytest.raises(RecordUnreadable, match=r"CoupSettled\.hands: Coup\.player: 'XX' is not a card"):
        event_from_plain(plain)


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ('{"a":1,"a":1}', "the key 'a' stands twice"),
        ('{"a":NaN}', "NaN is no whole number"),
        ('{"a":-Infinity}', "-Infinity is no whole number"),
        ('{"a":1e999}', "1e999 is no whole number"),
        ('{"a":0.5}', "0.5 is no whole number"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "no JSON: Exceeds the limit"),
        ('{"a":', "no JSON: Expecting value"),
        (b'"\xff"', "no JSON: 'utf-8' codec"),
        ('{"a":1}'.encode("utf-16"), "no JSON: 'utf-8' codec"),
        ("", "no JSON: Expecting value"),
    ],
)
def test_json_that_python_would_let_through_or_choke_on_is_refused(text: str | bytes, trouble: str) -> None:
    with pytest.raises(RecordUnreadable) as refused:
        loads(text)
    assert str(refused.value).startswith(trouble)


def test_a_number_that_is_not_whole_is_never_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps({"a": float("nan")})


@dataclass(frozen=True)
class WithShare:
    rules: HouseRules
    share: float


def test_a_class_that_has_no_form_in_a_record_is_told_at_once() -> None:
    with pytest.raises(TypeError, match="float"):
        to_plain(WithShare(HOUSE_RULES, 0.5), "state")  # type: ignore[arg-type]


def test_no_field_hides_the_kind_or_what_is_added_to_an_event() -> None:
    for kind in get_args(Event):
        assert not {"event", "seq", "at", "simulated", "id", "ok"} & set(kind.__dataclass_fields__)
    for kind in get_args(Input):
        assert "input" not in kind.__dataclass_fields__


def test_dicts_given_to_readers_stay_as_they_are() -> None:
    plain = to_plain(ShoeEnded(1, 60, 0), "event")
    before = dict(plain)
    event_from_plain(plain)
    assert plain == before
