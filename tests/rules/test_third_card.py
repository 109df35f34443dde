"""The third-card rule, clause by clause: every cell of the printed table, asked of the table and seen at a dealt coup.

Sources: JP schedule 1 part 1; FR 55-14.
"""

import pytest

from controller.game import tableau
from controller.game.cards import Card, parse_card
from controller.game.coup import BANKER_THIRD, PLAYER_THIRD, Coup

VALUES = range(10)
BANKER_STANDS_ON = {
    0: [],
    1: [],
    2: [],
    3: [8],
    4: [0, 1, 8, 9],
    5: [0, 1, 2, 3, 8, 9],
    6: [0, 1, 2, 3, 4, 5, 8, 9],
    7: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
}


def worth(value: int) -> Card:
    return parse_card("TA23456789"[value] + "H")


def with_two_cards(player: int, banker: int) -> Coup:
    """Four cards dealt that give these totals: a king and a card of that value each."""
    king = parse_card("KS")
    return Coup().dealt(king).dealt(king).dealt(worth(player)).dealt(worth(banker))


def named(clause: str, draws: bool, on: object = None) -> str:
    return f"{clause}-{'draws' if draws else 'stands'}" + ("" if on is None else f"-on-{on}")


@pytest.mark.parametrize(
    ("player", "draws"), [pytest.param(two, two <= 5, id=named(f"player-{two}", two <= 5)) for two in range(8)]
)
def test_player_draws_on_0_to_5_and_stands_on_6_and_7(player, draws):
    assert tableau.player_draws(player) is draws

    coup = with_two_cards(player, 7)
    assert coup.player_draws is draws
    assert coup.next_place == (PLAYER_THIRD if draws else None)


@pytest.mark.parametrize("player", [6, 7])
@pytest.mark.parametrize(
    ("banker", "draws"), [pytest.param(two, two <= 5, id=named(f"banker-{two}", two <= 5)) for two in range(8)]
)
def test_banker_draws_on_0_to_5_and_stands_on_6_and_7_when_player_stood(banker, draws, player):
    assert tableau.banker_draws(banker, None) is draws

    coup = with_two_cards(player, banker)
    assert coup.banker_draws is draws
    assert coup.next_place == (BANKER_THIRD if draws else None)


@pytest.mark.parametrize("player", range(6))
@pytest.mark.parametrize(
    ("banker", "third", "draws"),
    [
        pytest.param(banker, third, third not in stands, id=named(f"banker-{banker}", third not in stands, third))
        for banker, stands in BANKER_STANDS_ON.items()
        for third in VALUES
    ],
)
def test_banker_goes_by_the_value_of_players_third_card(banker, third, draws, player):
    assert tableau.banker_draws(banker, third) is draws

    coup = with_two_cards(player, banker).dealt(worth(third))
    assert coup.player_third_value == third
    assert coup.banker_draws is draws
    assert coup.next_place == (BANKER_THIRD if draws else None)


@pytest.mark.parametrize("third", ["TC", "JD", "QH", "KS"])
def test_a_ten_and_every_court_card_is_a_third_card_of_value_0(third):
    assert with_two_cards(5, 3).dealt(parse_card(third)).next_place == BANKER_THIRD
    assert with_two_cards(5, 4).dealt(parse_card(third)).next_place is None


@pytest.mark.parametrize("banker", VALUES, ids=lambda two: f"banker-{two}")
@pytest.mark.parametrize("player", [8, 9], ids=lambda two: f"player-{two}")
def test_nobody_draws_on_players_natural(player, banker):
    coup = with_two_cards(player, banker)
    assert coup.complete
    assert not coup.player_draws
    assert not coup.banker_draws


@pytest.mark.parametrize("banker", [8, 9], ids=lambda two: f"banker-{two}")
@pytest.mark.parametrize("player", VALUES, ids=lambda two: f"player-{two}")
def test_nobody_draws_on_bankers_natural(player, banker):
    coup = with_two_cards(player, banker)
    assert coup.complete
    assert not coup.player_draws
    assert not coup.banker_draws


@pytest.mark.parametrize("total", [8, 9])
def test_a_three_card_8_or_9_of_player_is_no_natural_and_banker_still_draws(total):
    coup = with_two_cards(5, 0).dealt(worth(total - 5))
    assert coup.player_total == total
    assert coup.natural.value == "none"
    assert coup.next_place == BANKER_THIRD


def test_never_a_fourth_card_to_a_hand():
    coup = with_two_cards(0, 0).dealt(worth(0)).dealt(worth(0))
    assert coup.complete
    with pytest.raises(ValueError, match="the coup is complete"):
        coup.dealt(worth(1))
