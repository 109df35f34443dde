"""The burn of a new shoe: by its first card, by decks, fixed, or none."""

from controller.game.cards import Card
from controller.table.counting import count_out, taken
from controller.table.events import BurnCompleted, BurnCountTold, CardBurned, CardSetAside, FirstCardShown, HoldReason
from controller.table.holds import hold
from controller.table.inputs import CardRead, Target
from controller.table.layout import open_bets
from controller.table.machine import BURNING
from controller.table.moment import Moment


def burn_card(moment: Moment, card: CardRead) -> None:
    """A card while the table burns: the first card, the next burn card, or one that the rule does not ask for."""
    match card.target:
        case Target.FIRST:
            _first_card(moment, card)
        case Target.BURN:
            _next_burn_card(moment, card)
        case _:
            what = f"{card.target.value} {card.index} came after {_count(moment)} burn cards"
            hold(moment, HoldReason.BURN_DIFFERS, f"{what}, {_asked(moment)}", card)


def _count(moment: Moment) -> int:
    return len(moment.state.burned)


def _asked(moment: Moment) -> str:
    due = moment.state.burn_due
    return "the first card never came" if due is None else f"the rule asks for {due}"


def _first_card(moment: Moment, card: CardRead) -> None:
    state = moment.state
    if state.first_card is not None:
        _named_again(moment, state.first_card, card)
    elif state.burn_due is not None:
        hold(moment, HoldReason.BURN_DIFFERS, "a first card came that this burn does not ask for", card)
    elif card.card is None:
        hold(moment, HoldReason.UNREADABLE, "the first card of the shoe could not be read", card)
    elif state.first_card_out or taken(moment, card.card, card):  # out unseen: it is counted already
        _show_first(moment, card.card)


def _show_first(moment: Moment, card: Card) -> None:
    rules, told = moment.state.rules, moment.state.burn_told
    due = rules.burn.due(rules.decks, card)
    assert due is not None
    moment.set(first_card=card, first_card_out=True, burn_due=due)
    moment.say(FirstCardShown(card, due))
    if told is not None and told != due:
        hold(moment, HoldReason.BURN_DIFFERS, f"the shoe says {told} burn cards, the rule asks for {due}", None)
    else:
        _done_when_enough(moment)


def _next_burn_card(moment: Moment, card: CardRead) -> None:
    state, number = moment.state, card.index
    missing = number - _count(moment) - 1
    if number < 1:
        hold(moment, HoldReason.BURN_DIFFERS, f"burn card {number} came", card)
    elif missing < 0:
        _named_again(moment, state.burned[number - 1], card)
    elif not state.first_card_out and state.burn_due is None:
        hold(moment, HoldReason.BURN_DIFFERS, f"burn card {number} came before the first card of the shoe", card)
    elif missing > state.reports_missed:
        hold(moment, HoldReason.BURN_DIFFERS, f"burn card {number} came after {_count(moment)}", card)
    else:
        take_as_burned(moment, card)


def _named_again(moment: Moment, known: Card | None, card: CardRead) -> None:
    """A place of the burn is named a second time."""
    where = f"{card.target.value} {card.index}"
    if known is None or card.card is None or known == card.card:
        moment.say(CardSetAside(card.card, f"{where} was named again"))
    else:
        hold(moment, HoldReason.CARD_CONFLICT, f"{card.card} came for {where}, that was {known}", card)


def count_told(moment: Moment, card: CardRead) -> None:
    """The shoe tells how many cards it burns: compared with ours once ours is known."""
    state, told = moment.state, card.index
    ours = state.burn_due if state.phase is BURNING else _count(moment)
    moment.set(burn_told=told)
    moment.say(BurnCountTold(told, ours))
    if ours is not None and told != ours:
        hold(moment, HoldReason.BURN_DIFFERS, f"the shoe says {told} burn cards, ours are {ours}", card)


def take_as_burned(moment: Moment, card: CardRead) -> None:
    """A card is out and burned, as the next one or as the one after some that nobody read."""
    if moment.state.phase is BURNING:
        if not moment.state.first_card_out:
            burned_unseen(moment)
        while card.target is Target.BURN and moment.state.phase is BURNING and _count(moment) < card.index - 1:
            burned_unseen(moment)
    if taken(moment, card.card, card):
        moment.set(reports_missed=0)
        _burned(moment, card.card)


def take_count(moment: Moment) -> None:
    """The burn is as long as the shoe told, or as what is out already."""
    told = moment.state.burn_told
    if moment.state.phase is BURNING and told is not None:
        moment.set(burn_due=max(told, _count(moment)))
        _done_when_enough(moment)


def unreadable_out(moment: Moment, read_meanwhile: list[CardRead]) -> None:
    """The card that the shoe could not read is out unseen, unless the shoe read that very card after all."""
    state = moment.state
    first_due = state.burn_due is None and not state.first_card_out
    wanted = (Target.FIRST, 1) if first_due else (Target.BURN, _count(moment) + 1)
    if all((card.target, card.index) != wanted for card in read_meanwhile):
        burned_unseen(moment)


def burned_unseen(moment: Moment) -> None:
    """A card of the burn is out that nobody read. As the first card of a shoe it leaves the number open."""
    state = moment.state
    count_out(moment, None)
    if state.burn_due is None and not state.first_card_out:
        moment.set(first_card_out=True)
    else:
        _burned(moment, None)


def _burned(moment: Moment, card: Card | None) -> None:
    moment.set(burned=(*moment.state.burned, card))
    moment.say(CardBurned(_count(moment), card))
    _done_when_enough(moment)


def _done_when_enough(moment: Moment) -> None:
    due = moment.state.burn_due
    if moment.state.phase is BURNING and due is not None and _count(moment) >= due:
        end_burn(moment)


def end_burn(moment: Moment) -> None:
    """The burn is over, as long as it was; bets of the first coup open."""
    moment.say(BurnCompleted(_count(moment)))
    assert moment.go("burn_done")
    open_bets(moment, 1)
