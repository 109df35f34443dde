"""A table whose shoe is inside the program: it deals by itself, and a restart goes on with the same shoe."""

from typing import Any

from controller.game.cards import parse_card
from controller.game.coup import deal_coup
from tests.emulated.program import Program
from tests.emulated.rig import Begin, Rig
from tests.emulated.spoiling import hurry

SIMULATED = ("driver: angel-eye\n  port: /dev/punto-demo-shoe\n  baud: 4800\n  copies: 3\n", "driver: simulated\n")


class SimulatedRig(Rig):
    """Only a screen is at the bench."""

    def words(self) -> list[object]:
        words = super().words()
        at = words.index("--shoe-port")
        del words[at : at + 2]
        return words

    def launch(self, **options: Any) -> Program:
        return super().launch(**{"before": hurry, **options})


def begins(begin: Begin, *changes: tuple[str, str]) -> Rig:
    rig = begin(cards=None, changes=[SIMULATED, *changes])
    rig.__class__ = SimulatedRig
    return rig


def test_coups_are_dealt_when_the_dealer_closes_and_confirms(begin: Begin) -> None:
    rig = begins(begin)
    rig.start()
    rig.sees("BetsOpened", coup=1)
    assert rig.state()["links"]["shoe"] == "up"
    rig.bets(1, "banker", 10000)
    rig.does("close-bets")
    settled = rig.sees("CoupSettled", coup=1)
    rig.panel.shows(phase="settling")
    rig.does("confirm")
    rig.sees("BetsOpened", coup=2)
    coup = deal_coup(map(parse_card, [*_as_dealt(settled["hands"])]))
    assert settled["hands"]["player"] == [str(card) for card in coup.player]
    assert rig.state()["simulated"] is True
    assert rig.stop().code == 0
    rig.verifies()


def test_a_restart_in_mid_coup_goes_on_with_that_coup(begin: Begin) -> None:
    rig = begins(begin)
    rig.start()
    rig.sees("BetsOpened", coup=1)
    rig.does("close-bets")
    rig.cards_out(2)
    rig.kill()
    rig.launch()
    rig.ready()
    rig.sees("CoupSettled", coup=1)
    rig.does("confirm", "close-bets")
    rig.sees("CoupSettled", coup=2)
    assert rig.recorded("TableHeld") == 0
    rig.verifies()


def test_a_restart_in_mid_burn_goes_on_with_that_burn(begin: Begin) -> None:
    rig = begins(begin, ("{by: none}", "{by: fixed, cards: 3}"))
    rig.start()
    rig.sees("CardBurned", number=1)
    rig.restart()
    rig.sees("BetsOpened", coup=1)
    assert rig.recorded("CardBurned") == 3
    assert rig.recorded("TableHeld") == 0


def test_after_the_end_of_a_shoe_the_next_one_is_in_place_when_it_is_started(begin: Begin) -> None:
    rig = begins(begin)
    rig.start()
    rig.sees("BetsOpened", coup=1)
    rig.does("close-bets")
    rig.sees("CoupSettled")
    rig.does("end-shoe", "confirm")
    rig.sees("ShoeEnded")
    rig.sees("ShoeReportNoted")
    rig.does("start-shoe")
    rig.sees("BetsOpened", shoe=2)
    rig.does("close-bets")
    rig.sees("CoupSettled", shoe=2)
    assert rig.recorded("TableHeld") == 0
    assert rig.recorded("ShoeReportNoted") <= 2, "one start of communication a shoe, not one again and again"


def test_a_shoe_is_dealt_to_its_end_and_the_next_begins_by_itself(begin: Begin) -> None:
    rig = begins(begin, ("decks: 8", "decks: 1"))
    rig.start()
    rig.sees("BetsOpened")
    while not rig.recorded("ShoeEnded"):
        rig.does("close-bets")
        rig.sees("CoupSettled")
        rig.does("confirm")
    rig.sees("BetsOpened", shoe=2)
    assert 5 <= rig.recorded("CoupConfirmed") <= 11, "38 cards lie before the cut card, and one more coup follows it"
    assert rig.recorded("TableHeld") == 0
    rig.verifies()


def _as_dealt(hands: dict[str, list[str]]) -> list[str]:
    player, banker = hands["player"], hands["banker"]
    return [player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:]]
