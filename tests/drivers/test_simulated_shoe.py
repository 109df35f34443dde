"""The simulated shoe at the far end of a cable, heard by the very driver that hears a real one."""

import json
from pathlib import Path

import pytest

from drivers.contracts import (
    CardDrawn,
    CardOutsidePlay,
    CardOverdrawn,
    CutCard,
    DeviceError,
    DeviceErrorCleared,
    FramesDamaged,
    LinkDown,
    LinkUp,
    LockChanged,
    OwnResult,
    Report,
    ReportLost,
    ReportUnconfirmed,
    ShoeStart,
)
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.shoes.simulated import ShoeSettings, SimulatedShoe
from drivers.shoes.simulated_cards import BurnRule, OwnCoup, is_card, shuffled
from drivers.shoes.simulated_faults import Fault, Wrong, faults_from
from drivers.shoes.simulated_line import CableEnd
from drivers.wires import memory_pair

NO_BURN = BurnRule("none")
SIX_CARDS = ["2H", "3C", "2S", "KD", "4D", "AC"]  # Player 4 draws to 8, Banker 3 draws on a 4 to 4
NATURAL = ["8H", "3C", "KS", "KD"]


class Bench:
    """A simulated shoe, a cable, and the driver at the other end; time moves only here."""

    def __init__(
        self, cards: list[str] | None, *faults: Fault, settings: ShoeSettings | None = None, copies: int = 3
    ) -> None:
        near, far = memory_pair()
        near.open(0)
        self.now_ms = 0
        self.simulated = SimulatedShoe(CableEnd(far), settings or ShoeSettings(burn=NO_BURN), cards, faults)
        self.shoe = AngelEyeShoe(near, copies)

    def order(self, line: str) -> str:
        return self.simulated.order(line, self.now_ms)

    def heard(self, until_ms: int = 5_000) -> list[Report]:
        """All that is heard in the next `until_ms`."""
        reports: list[Report] = []
        for _ in range(until_ms // 10):
            self.now_ms += 10
            self.simulated.poll(self.now_ms)
            reports += [one.report for one in self.shoe.poll(self.now_ms)]
        return reports

    def told(self, *orders: str) -> list[Report]:
        """What is heard of orders that are all answered with ok."""
        assert [self.order(line) for line in orders] == ["ok"] * len(orders)
        return self.heard()


def drawn(*places: str) -> list[CardDrawn]:
    """ "player 1 8H" ..."""
    return [
        CardDrawn(target, int(index), card)  # type: ignore[arg-type]
        for target, index, card in (place.split() for place in places)
    ]


SIX_DRAWN = drawn("player 1 2H", "banker 1 3C", "player 2 2S", "banker 2 KD", "player 3 4D", "banker 3 AC")


def test_a_coup_is_dealt_by_its_own_rules_and_ends_with_its_own_result() -> None:
    bench = Bench(SIX_CARDS + NATURAL)
    assert bench.told("coup") == [*SIX_DRAWN, OwnResult("player", "player")]
    natural = drawn("player 1 8H", "banker 1 3C", "player 2 KS", "banker 2 KD")
    assert bench.told("coup") == [*natural, OwnResult("player", "none")]
    assert bench.order("coup") == "error the shoe is empty; 'shoe' puts in the next one"


def test_cards_drawn_one_by_one_make_the_same_coup() -> None:
    bench = Bench(SIX_CARDS)
    assert bench.told("draw") == SIX_DRAWN[:1]
    assert bench.told("draw 2") == SIX_DRAWN[1:3]
    assert bench.told("coup") == [*SIX_DRAWN[3:], OwnResult("player", "player")]


def test_every_report_is_sent_three_times_a_gap_apart() -> None:
    bench = Bench(SIX_CARDS)
    bench.order("draw")
    seen = []
    for bench.now_ms in range(0, 300, 10):
        bench.simulated.poll(bench.now_ms)
        bench.shoe.poll(bench.now_ms)
        seen += [line.at_ms for line in bench.shoe.trace()]
    assert seen == [0, 50, 100]
    assert bench.simulated.deadline_ms() is None


def test_a_burn_by_first_card_comes_before_the_first_coup_and_only_once() -> None:
    bench = Bench(["3H", "AS", "2S", "3S", *SIX_CARDS], settings=ShoeSettings())
    burn = drawn("first 1 3H", "burn 1 AS", "burn 2 2S", "burn 3 3S")
    assert bench.told("power", "coup") == [ShoeStart(), *burn]
    assert bench.told("draw 2", "power") == [*SIX_DRAWN[:2], ShoeStart()]
    assert bench.told("draw") == drawn("player 1 2S")


@pytest.mark.parametrize(
    ("rule", "first", "burned"),
    [
        (BurnRule(), "AH", 1),
        (BurnRule(ace=7), "AH", 7),
        (BurnRule(), "9H", 9),
        (BurnRule(), "TH", 10),
        (BurnRule(), "QH", 10),
        (BurnRule(court=5), "TH", 5),
        (BurnRule(court=5), "KH", 5),
    ],
)
def test_the_first_card_says_how_many_are_burned(rule: BurnRule, first: str, burned: int) -> None:
    bench = Bench([first] + ["2S"] * 30, settings=ShoeSettings(burn=rule))
    assert bench.told("coup")[1:] == [CardDrawn("burn", n, "2S") for n in range(1, burned + 1)]
    assert bench.told("draw") == drawn("player 1 2S")


def test_a_fixed_burn_has_no_first_card() -> None:
    bench = Bench(["2S"] * 30, settings=ShoeSettings(burn=BurnRule("fixed", 8)))
    assert bench.told("draw 3", "coup") == [CardDrawn("burn", n, "2S") for n in range(1, 9)]


@pytest.mark.parametrize("rule", [{"by": "fixed", "cards": 11}, {"by": "fixed"}, {"ace": 11}, {"court": 0}])
def test_a_burn_that_the_wire_cannot_report_is_refused(rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="on this wire"):
        BurnRule(**rule)  # type: ignore[arg-type]


def test_the_cut_card_comes_before_the_card_at_its_depth() -> None:
    bench = Bench(["2S"] * 4 + SIX_CARDS + NATURAL, settings=ShoeSettings(burn=NO_BURN, cut_depth=14))
    assert bench.told("draw 2") == [CutCard(), *drawn("player 1 2S", "banker 1 2S")]
    bench = Bench(SIX_CARDS + NATURAL, settings=ShoeSettings(burn=NO_BURN, cut_depth=7))
    assert bench.told("draw 4") == [*SIX_DRAWN[:3], CutCard(), SIX_DRAWN[3]]
    assert bench.order("cut") == "error the cut card is out already"
    bench = Bench(SIX_CARDS, settings=ShoeSettings(burn=NO_BURN, cut_depth=0))
    assert CutCard() not in bench.told("coup")
    assert bench.told("cut") == [CutCard()]


def test_power_after_the_cut_card_is_a_new_shoe_but_not_in_a_coup() -> None:
    """Fault 30: a restart in mid-coup clears the hands and nothing else."""
    bench = Bench(SIX_CARDS * 3, settings=ShoeSettings(burn=BurnRule("fixed", 2), seed=7))
    assert bench.told("cut", "draw 3", "power")[-1] == ShoeStart()
    assert bench.simulated.device.cards_left() == 15
    assert bench.told("coup")[0] == drawn("player 1 KD")[0]
    assert bench.told("power") == [ShoeStart()]
    assert bench.simulated.device.cards_left() == 8 * 52
    assert bench.told("draw") == [CardDrawn("burn", 1, shuffled(8, 8)[0])]


def test_the_count_starts_again_with_a_restart_and_nothing_is_lost() -> None:
    """Fault 11."""
    bench = Bench(SIX_CARDS * 2)
    assert bench.told("draw 3", "power", "draw 2")[3:] == [ShoeStart(), *drawn("player 1 KD", "banker 1 4D")]


def test_two_restarts_in_a_row_are_two() -> None:
    assert Bench(SIX_CARDS).told("power", "power", "power") == [ShoeStart()] * 3


def test_a_new_shoe_can_be_put_in_at_any_time() -> None:
    bench = Bench(SIX_CARDS, settings=ShoeSettings(burn=NO_BURN, decks=6, seed=3))
    second, third = shuffled(6, 4), shuffled(6, 5)
    assert bench.told("shoe", "draw") == [ShoeStart(), CardDrawn("player", 1, second[0])]
    assert bench.told("shoe", "draw") == [ShoeStart(), CardDrawn("player", 1, third[0])]


def test_the_shuffled_shoe_is_whole_and_its_seed_gives_it_again() -> None:
    cards = shuffled(8, 5)
    assert sorted(cards) == sorted(card for card in set(cards) for _ in range(8))
    assert len(cards) == 416
    assert shuffled(8, 5) == cards != shuffled(8, 6)


def test_fault_22_cards_drawn_while_locked_or_in_error_are_outside_play() -> None:
    bench = Bench(SIX_CARDS)
    assert bench.told("key lock", "draw", "key unlock", "draw") == [
        LockChanged(True),
        CardOutsidePlay("lock", "2H"),
        LockChanged(False),
        *drawn("player 1 3C"),
    ]
    assert bench.told("error 7", "draw", "clear 7", "draw") == [
        DeviceError(7, True),
        CardOutsidePlay("error", "2S"),
        DeviceErrorCleared(7),
        *drawn("banker 1 KD"),
    ]
    bench.order("error 3")
    assert bench.order("coup") == "error the shoe is in error 3; 'clear 3' ends it"
    assert bench.order("error 4") == "error the shoe is in error 3 already"
    assert bench.order("clear 4") == "error the shoe is not in error 4"


def test_the_result_order_ends_a_coup_by_force_or_repeats_a_result() -> None:
    bench = Bench(SIX_CARDS + NATURAL)
    assert bench.order("result") == "error no coup was dealt; 'coup' deals one"
    assert bench.told("draw 2", "result") == [*SIX_DRAWN[:2], OwnResult("forced-end", "none")]
    bench = Bench(SIX_CARDS)
    assert bench.told("coup", "result")[-2:] == [OwnResult("player", "player")] * 2


@pytest.mark.parametrize(
    "line",
    [
        "",
        "deal",
        "draw 0",
        "draw x",
        "draw 1 2",
        "draw ١",
        "error 64",
        "error",
        "key",
        "key open",
        "unplug 0",
        "\x1b[2J",
    ],
)
def test_an_order_that_is_none_is_answered_in_one_line_and_does_nothing(line: str) -> None:
    bench = Bench(SIX_CARDS)
    answer = bench.order(line)
    assert answer.startswith("error ")
    assert answer.isprintable()
    assert bench.heard() == []


def test_fault_28_an_unreadable_card_is_an_error_and_the_coup_goes_on_after_it() -> None:
    bench = Bench(SIX_CARDS, Fault(3, Wrong.UNREADABLE))
    assert bench.told("coup") == [*SIX_DRAWN[:2], DeviceError(1, True)]
    assert bench.told("clear 1", "coup") == [DeviceErrorCleared(1), *SIX_DRAWN[3:], OwnResult("player", "player")]


def test_the_result_of_a_coup_whose_last_card_was_unreadable_comes_after_the_error() -> None:
    bench = Bench(SIX_CARDS, Fault(6, Wrong.UNREADABLE))
    assert bench.told("coup") == [*SIX_DRAWN[:5], DeviceError(1, True)]
    assert bench.told("clear 1") == [DeviceErrorCleared(1), OwnResult("player", "player")]


@pytest.mark.parametrize("card", [5, 1, 3])
def test_fault_24_an_overdrawn_card_is_kept_for_the_next_coup(card: int) -> None:
    """The fifth card of a natural; a number in mid-coup waits for the coup's end."""
    bench = Bench(NATURAL + SIX_CARDS, Fault(card, Wrong.OVERDRAW))
    assert bench.told("coup")[-2:] == [OwnResult("player", "none"), DeviceError(2, True)]
    assert bench.told("clear 2") == [DeviceErrorCleared(2), CardOverdrawn("player", 1, "2H")]
    assert bench.told("coup") == [*SIX_DRAWN, OwnResult("player", "player")]
    assert bench.simulated.device.cards_left() == 0


def test_fault_9_and_8_copies_are_dropped_or_damaged() -> None:
    assert Bench(SIX_CARDS, Fault(1, Wrong.DROP_COPIES, 1)).told("draw") == SIX_DRAWN[:1]
    assert Bench(SIX_CARDS, Fault(1, Wrong.DROP_COPIES, 2)).told("draw") == [ReportUnconfirmed("player 1: 2H")]
    bench = Bench(SIX_CARDS, Fault(2, Wrong.DAMAGE_COPIES, 1))
    assert bench.told("draw 2") == [*SIX_DRAWN[:2], FramesDamaged(1)]
    bench = Bench(SIX_CARDS, Fault(1, Wrong.DAMAGE_COPIES, 3))
    assert [report for report in bench.told("draw 2") if not isinstance(report, FramesDamaged)] == SIX_DRAWN[1:2]


@pytest.mark.parametrize("seed", range(200))
def test_fault_14_whatever_bit_of_a_copy_is_damaged_it_is_no_copy(seed: int) -> None:
    settings = ShoeSettings(burn=NO_BURN, seed=seed)
    bench = Bench(SIX_CARDS, Fault(1, Wrong.DAMAGE_COPIES, 3), settings=settings)
    bench.order("draw")
    assert {type(report) for report in bench.heard(1_500)} == {FramesDamaged}
    assert bench.shoe.frames_good == 0


def test_fault_10_a_dropped_report_shows_in_the_count() -> None:
    bench = Bench(SIX_CARDS, Fault(2, Wrong.DROP_REPORT))
    assert bench.told("draw 3") == [SIX_DRAWN[0], ReportLost(2, 3), SIX_DRAWN[2]]


def test_fault_13_swapped_reports_come_in_the_wrong_order() -> None:
    bench = Bench(SIX_CARDS, Fault(2, Wrong.SWAP_NEXT))
    assert bench.told("draw 4") == [
        SIX_DRAWN[0],
        ReportLost(2, 3),
        SIX_DRAWN[2],
        ReportLost(4, 2),
        SIX_DRAWN[1],
        ReportLost(3, 4),
        SIX_DRAWN[3],
    ]


def test_fault_25_a_card_goes_to_the_wrong_side() -> None:
    bench = Bench(SIX_CARDS, Fault(5, Wrong.WRONG_TARGET))
    assert bench.told("coup")[4] == CardDrawn("banker", 3, "4D")
    bench = Bench(["2S"] * 9, Fault(1, Wrong.WRONG_TARGET), settings=ShoeSettings())
    assert bench.told("draw") == drawn("burn 1 2S")


def test_a_misread_card_is_told_as_another_one() -> None:
    bench = Bench(["KH", *SIX_CARDS], Fault(1, Wrong.OTHER_CARD))
    assert bench.told("draw") == drawn("player 1 AH")


def test_faults_26_and_27_a_wrong_result_is_told_for_the_coup_of_that_card() -> None:
    bench = Bench(SIX_CARDS + NATURAL, Fault(2, Wrong.WRONG_RESULT))
    assert bench.told("coup")[-1] == OwnResult("banker", "player")
    assert bench.told("coup")[-1] == OwnResult("player", "none")


def test_a_power_dip_after_a_card_restarts_the_shoe_and_keeps_its_cards() -> None:
    bench = Bench(SIX_CARDS * 2, Fault(2, Wrong.POWER))
    assert bench.told("draw 2") == [*SIX_DRAWN[:2], ShoeStart()]
    assert bench.simulated.device.cards_left() == 10


@pytest.mark.parametrize("card", range(1, 7))
def test_fault_2_the_cable_is_out_after_each_card(card: int) -> None:
    bench = Bench(SIX_CARDS, Fault(card, Wrong.UNPLUG, 500))
    bench.order(f"draw {card}")
    *cards, down, up = bench.heard()
    assert cards == SIX_DRAWN[:card]
    assert (type(down), up) == (LinkDown, LinkUp())


def test_fault_1_the_cable_is_out_and_comes_back() -> None:
    bench = Bench(SIX_CARDS)
    bench.told("draw")
    heard = bench.told("unplug 500")
    assert [type(report) for report in heard] == [LinkDown, LinkUp]
    assert bench.told("draw") == SIX_DRAWN[1:2]


def test_what_is_sent_while_the_cable_is_out_is_lost() -> None:
    bench = Bench(SIX_CARDS)
    bench.told("draw")
    bench.order("unplug 2000")
    bench.heard(100)
    bench.order("draw")
    bench.heard(6_000)
    assert bench.told("draw") == [ReportLost(2, 3), SIX_DRAWN[2]]


def test_orders_are_refused_before_the_queue_of_copies_grows_without_end() -> None:
    bench = Bench(["2S"] * 900 + ["3S"] * 900)
    assert bench.order("draw 900") == "ok"
    assert bench.order("draw 900") == "ok"
    assert bench.order("draw").startswith("error too many")
    assert bench.order("power").startswith("error too many")


def test_drawing_more_than_the_shoe_holds_says_how_far_it_came() -> None:
    bench = Bench(SIX_CARDS)
    assert bench.order("draw 8") == "error 6 of 8 drawn: the shoe is empty; 'shoe' puts in the next one"


def test_a_unit_that_sends_once_is_heard_with_copies_1() -> None:
    bench = Bench(SIX_CARDS, settings=ShoeSettings(burn=NO_BURN, copies=1), copies=1)
    assert bench.told("coup") == [*SIX_DRAWN, OwnResult("player", "player")]


def test_its_own_drawing_rules_are_those_of_every_known_coup() -> None:
    path = Path(__file__).parents[1] / "vectors" / "coups.jsonl"
    count = 0
    for row in map(json.loads, path.read_text().splitlines()):
        coup, due = OwnCoup(), row["expect"]
        for card in row["shoe"]:
            if coup.player and not coup.is_on():
                break
            coup.take(card)
        assert (coup.player, coup.banker, coup.outcome()) == (due["player"], due["banker"], due["winner"]), row
        count += 1
    assert count


def test_a_whole_shoe_is_dealt_and_heard_without_a_gap() -> None:
    bench = Bench(None, settings=ShoeSettings(copy_gap_ms=2))
    heard: list[Report] = []
    while not (bench.simulated.device.cut_card_is_out() and not bench.simulated.device.coup_is_on()):
        assert bench.order("coup") == "ok"
        heard += bench.heard(100)
    cards = [report.card for report in heard if isinstance(report, CardDrawn)]
    assert cards == shuffled(8, 1)[: len(cards)]
    assert len(cards) == 416 - bench.simulated.device.cards_left()
    assert heard.count(CutCard()) == 1
    assert not any(isinstance(report, ReportLost) for report in heard)


def test_a_script_of_faults_is_one_json_object_a_line() -> None:
    lines = [
        '{"card": 14, "do": "unreadable"}',
        "",
        ' {"do": "drop-copies 2", "card": 3}',
        '{"card":9,"do":"unplug 750"}',
    ]
    assert faults_from(lines) == [
        Fault(14, Wrong.UNREADABLE),
        Fault(3, Wrong.DROP_COPIES, 2),
        Fault(9, Wrong.UNPLUG, 750),
    ]
    for wrong in Wrong:
        number = " 1" if wrong in (Wrong.DROP_COPIES, Wrong.DAMAGE_COPIES, Wrong.UNPLUG) else ""
        assert faults_from([json.dumps({"card": 1, "do": wrong.value + number})])[0].do is wrong


@pytest.mark.parametrize(
    "line",
    [
        "unreadable",
        "[]",
        "[" * 100_000,
        '{"card": 1}',
        '{"card": 0, "do": "power"}',
        '{"card": true, "do": "power"}',
        '{"card": 1.5, "do": "power"}',
        '{"card": 1, "do": "explode"}',
        '{"card": 1, "do": "drop-copies"}',
        '{"card": 1, "do": "drop-copies 0"}',
        '{"card": 1, "do": "drop-copies x"}',
        '{"card": 1, "do": "power 2"}',
        '{"card": 1, "do": 5}',
        '{"card": 1, "do": "power", "more": 1}',
        '{"card": 2, "do": "power"}',
    ],
)
def test_a_bad_fault_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(ValueError, match=r"^line 2: ") as refused:
        faults_from(['{"card": 2, "do": "unreadable"}', line])
    assert str(refused.value).isprintable()


def test_cards_are_two_characters() -> None:
    assert [text for text in ("TH", "AS", "10H", "th", "1H", "TX", "", "HT") if is_card(text)] == ["TH", "AS"]
