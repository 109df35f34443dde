"""Cards: text to card and back, values, and one object for each card."""

import copy
import pickle

import pytest

from controller.game.cards import DECK, BadCard, Card, Rank, Suit, parse_card


def test_a_deck_is_52_different_cards_each_at_its_number():
    assert len(set(DECK)) == 52
    assert [card.number for card in DECK] == list(range(52))
    assert {str(card) for card in DECK} == {rank + suit for rank in "A23456789TJQK" for suit in "CDHS"}


@pytest.mark.parametrize(
    ("rank", "value"), list(zip("A23456789TJQK", [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0], strict=True))
)
@pytest.mark.parametrize("suit", "CDHS")
def test_ace_counts_1_two_to_nine_as_printed_ten_and_court_0(rank, value, suit):
    card = parse_card(rank + suit)
    assert (card.rank, card.suit) == (Rank(rank), Suit(suit))
    assert card.value == value
    assert str(card) == rank + suit


@pytest.mark.parametrize("way_round", [copy.copy, copy.deepcopy, lambda card: pickle.loads(pickle.dumps(card))])
def test_every_card_is_one_object_also_after_a_copy_or_pickle(way_round):
    for card in DECK:
        assert parse_card(str(card)) is card
        assert way_round(card) is card


def test_a_card_cannot_be_changed():
    with pytest.raises(AttributeError):
        DECK[0].value = 9


@pytest.mark.parametrize(
    "text",
    [
        "",
        "T",
        "TH ",
        " TH",
        "TH\n",
        "10H",
        "1H",
        "0H",
        "th",
        "Th",
        "tH",
        "HT",
        "XH",
        "TX",
        "A♠",
        "２H",
        "٢H",
        "²H",
        "\x00H",
        "THTH",
    ],
)
def test_what_is_not_two_upper_case_characters_of_a_card_is_refused(text):
    with pytest.raises(BadCard, match="is no card"):
        parse_card(text)


@pytest.mark.parametrize("thing", [None, 7, ["TH"], ("T", "H"), b"TH", True])
def test_what_is_not_text_is_refused_too(thing):
    with pytest.raises(BadCard, match="is no card"):
        parse_card(thing)


def test_a_refusal_is_one_short_line_of_plain_letters():
    with pytest.raises(BadCard) as refusal:
        parse_card("\x1b[31m\n" + "٣" * 500)
    assert str(refusal.value).isascii()
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 120


def test_bad_card_is_a_value_error():
    assert issubclass(BadCard, ValueError)


def test_the_repr_of_a_card_names_it():
    assert isinstance(DECK[0], Card)
    assert repr(parse_card("7C")) == "<7C>"
