"""Commission on the ledger at a whole table: owed over kill -9, collected before the next shoe, whoever starts that."""

from tests.emulated.program import until
from tests.emulated.rig import Begin, Rig

BANKER_WINS = ("2H", "9C", "TS", "KD")
"""Four cards: Banker's natural 9 against Player's 2."""


def owing(begin: Begin) -> Rig:
    """A table whose shoe was ended by order in settling, with commission owed."""
    changes = [
        ("paytables/commission-5.yaml", "paytables/big-table.yaml"),
        ("  lucky-6: {min: 10000, max: 500000, multiple: 10000}\n", ""),
    ]
    rig = begin(BANKER_WINS * 8, changes=changes).start()
    rig.begins_shoe()
    rig.bets(3, "banker", 100_000)
    rig.deals(4)
    rig.sees("CoupSettled")
    rig.does("end-shoe", "confirm")
    rig.sees("CommissionOwed", seat=3, amount=5_000)
    rig.sees("ShoeEnded")
    return rig


def test_what_is_owed_when_the_shoe_ends_is_owed_after_kill_9_and_comes_before_the_next_shoe(begin: Begin) -> None:
    rig = owing(begin)
    for _ in range(2):
        assert rig.refuses("start-shoe") == "ledger-open"
        assert rig.state()["owed"] == {"3": 5_000}
        assert rig.restart() == "shoe-ended"
    assert rig.ask("collect", seat=3)["ok"]
    assert rig.restart() == "shoe-ended"
    assert rig.state()["owed"] == {}
    rig.does("start-shoe")
    rig.sees("BetsOpened", shoe=2, coup=1)
    assert rig.stop().code == 0
    rig.verifies()


def test_a_shoe_that_starts_by_itself_meanwhile_waits_with_its_cards(begin: Begin) -> None:
    rig = owing(begin)
    until(rig.shoe.is_silent)
    rig.shoe.does("power")
    assert "seat 3 owes 5000; collect it first (collect SEAT), then start-shoe" in rig.sees("ShoeReportNoted")["what"]
    rig.shoe.draws(1)
    assert "seat 3 owes 5000" in rig.held("shoe-unknown")
    assert rig.restart() == "held"
    assert rig.refuses("start-shoe") == "ledger-open"
    assert rig.ask("collect", seat=3)["ok"]
    rig.does("start-shoe")
    rig.sees("BetsOpened", shoe=2, coup=1)
    assert rig.stop().code == 0
    rig.verifies()
