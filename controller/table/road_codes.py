"""A coup as a mark of two characters: who won with which pairs, and the winning total."""

from controller.game.coup import Coup, Natural, Pair, Winner

FIRST = {Winner.PLAYER: "PQRS", Winner.BANKER: "BCDE", Winner.TIE: "TUVW"}
"""By winner: no pair, Player pair, Banker pair, both."""
NATURALS = {8: "n", 9: "N"}
"""Instead of the total, when it was made with two cards."""


def pairs_of(coup: Coup) -> str:
    """Which hands hold a pair: none, player, banker, both."""
    player, banker = coup.player_pair is not Pair.NONE, coup.banker_pair is not Pair.NONE
    return ("none", "player", "banker", "both")[player + 2 * banker]


def road_code(coup: Coup) -> str:
    """The mark of a complete coup: "B6", "Qn" (Player wins with a natural 8 and a Player pair)."""
    pairs = ("none", "player", "banker", "both").index(pairs_of(coup))
    cards, total = _winning(coup)
    mark = NATURALS.get(total, str(total)) if coup.natural is not Natural.NONE and cards == 2 else str(total)
    return FIRST[coup.winner][pairs] + mark


def _winning(coup: Coup) -> tuple[int, int]:
    """How many cards made the winning (or tied) total, and that total."""
    player, banker = coup.player_total, coup.banker_total
    assert player is not None
    assert banker is not None
    return (len(coup.player), player) if player >= banker else (len(coup.banker), banker)
