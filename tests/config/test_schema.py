"""The schemas that editors read: never older than the definitions, and of one mind with the program about the files."""

import json
import re
from copy import deepcopy
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from controller.game.facts import FACTS
from controller.host.config import check
from controller.host.config_file import source
from controller.host.config_schema import SCHEMAS, schema_text
from controller.host.yaml_strict import parse
from tests.config.test_shipped import FILES as SHIPPED_FILES
from tools import schema_program

CONFIG = Path(__file__).parents[2] / "config"
FILES = SHIPPED_FILES
HEAD = "format: punto-paytable 1\nname: A name\nwagers:\n"


@cache
def validator(name):
    schema = json.loads((CONFIG / name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def wrong(name, text):
    """Where the schema finds something wrong, as dotted keys."""
    data = parse(source("it", text)).data
    return sorted(".".join(map(str, error.absolute_path)) for error in validator(name).iter_errors(data))


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schema_is_what_the_definitions_make(name):
    assert (CONFIG / name).read_text() == schema_text(name), "run tools/schema"


def test_the_tool_tells_a_stale_schema(tmp_path, capsys):
    assert schema_program.main(["--folder", str(tmp_path)]) == 0
    assert schema_program.main(["--folder", str(tmp_path), "--check"]) == 0
    (tmp_path / "table.schema.json").write_text("{}\n")
    assert schema_program.main(["--folder", str(tmp_path), "--check"]) == 1
    assert "table.schema.json: not what the definitions say; run tools/schema" in capsys.readouterr().err


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_shipped_file_names_its_schema_and_keeps_to_it(path):
    kind = path.parent.name.removesuffix("s")
    assert path.read_text().split("\n")[0] == f"# yaml-language-server: $schema=../{kind}.schema.json"
    assert wrong(f"{kind}.schema.json", path.read_text()) == []


def test_every_fact_may_be_asked_for_by_each_of_its_values():
    for name, fact in FACTS.items():
        words = [str(value).lower() if isinstance(value, bool) else value for value in fact.domain]
        wagers = "".join(f"  it-{n}: {{wins: {{{name}: {word}}}, pays: '8:1'}}\n" for n, word in enumerate(words))
        every = f"  every: {{wins: {{{name}: [{', '.join(map(str, words))}]}}, pays: '8:1'}}\n"
        assert wrong("paytable.schema.json", HEAD + wagers + every) == [], name


@pytest.mark.parametrize(
    ("wager", "where"),
    [
        ("it: {wins: {winner: dealer}, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {weather: fine}, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {player_two: 10}, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {winner: tie}, pays: 8-1}", "wagers.it.pays"),
        ("it: {wins: {winner: tie}, pays: 481}", "wagers.it.pays"),
        ("it: {wins: {winner: tie}, pays: 0:1}", "wagers.it.pays"),
        ("it: {wins: {winner: tie}, pays: 8:1, commission: 0.05}", "wagers.it.commission"),
        ("it: {wins: {winner: tie}}", "wagers.it"),
        ("it: {wins: {winner: tie}, pays: 8:1, tiers: [{wins: {winner: tie}, pays: 8:1}]}", "wagers.it"),
        ("it: {wins: {winner: tie}, pays: 8:1, colour: red}", "wagers.it"),
        ("It: {wins: {winner: tie}, pays: 8:1}", "wagers"),
        (f"{'i' * 33}: {{wins: {{winner: tie}}, pays: 8:1}}", "wagers"),
        ("it: {wins: null, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {winner: tie}, pays: null}", "wagers.it.pays"),
        ("it: {wins: {winner: tie}, pays: 8:1, rounding: null}", "wagers.it.rounding"),
        ("it: {wins: {total: 9-4}, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {total: 00-09}, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {total: 01-3}, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {cards: 6-4}, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {player_first_rank: 9-2}, pays: 8:1}", "wagers.it.wins"),
        ("it: {wins: {winner: tie}, pays: 9223372036854775808:1}", "wagers.it.pays"),
        ("it: {wins: {winner: tie}, pays: 1:10000000000000000000}", "wagers.it.pays"),
        ("it: {wins: {winner: tie}, tiers: [{wins: {winner: tie}, pays: 8:1}]}", "wagers.it"),
        ("it: {pays: 8:1, tiers: [{wins: {winner: tie}, pays: 8:1}]}", "wagers.it"),
        ("it: {tiers: []}", "wagers.it.tiers"),
        (f"it: {{tiers: [{'{wins: {winner: tie}, pays: 8:1}, ' * 33}]}}", "wagers.it.tiers"),
    ],
)
def test_a_mistake_shows_in_an_editor_where_check_finds_it(tmp_path, wager, where):
    text = f"{HEAD}  {wager}\n"
    path = tmp_path / "it.yaml"
    path.write_text(text)
    assert check([path]).mistakes
    assert where in wrong("paytable.schema.json", text)


def test_the_table_schema_knows_its_limits():
    text = (CONFIG / "tables/demo.yaml").read_text()
    assert wrong("table.schema.json", text.replace("decks: 8", "decks: 13")) == ["shoe.decks"]
    assert wrong("table.schema.json", text.replace("tie: {min: 10000,", "tie: {minimum: 10000,")) == ["limits.tie"] * 2


@pytest.mark.parametrize(
    "pays", ["9223372036854775807:1", "1:9223372036854775807", "8999999999999999999:10", "99 for 98"]
)
def test_the_largest_odds_are_fine_in_an_editor_too(pays):
    assert wrong("paytable.schema.json", f"{HEAD}  it: {{wins: {{winner: tie}}, pays: {pays}}}\n") == []


@pytest.mark.parametrize(
    ("key", "place", "value"),
    [
        ("differential: ", "limits", "null"),
        ("code: ", "currency", "1"),
        ("close: ", "betting", "timer"),
        ("by: ", "shoe.burn", "fixed"),
        ("confirm: ", "settle", "auto"),
        ("close: ", "betting", "timer, seconds: null"),
        ("by: ", "shoe.burn", "fixed, cards: null"),
        ("confirm: ", "settle", "auto, after_s: null"),
    ],
)
def test_a_mistake_of_a_table_shows_in_an_editor_where_check_finds_it(tmp_path, key, place, value):
    text = (CONFIG / "tables/demo.yaml").read_text()
    assert key in text
    text = re.sub(rf"({key})[a-zA-Z0-9-]+", rf"\g<1>{value}", text).replace("../", f"{CONFIG}/")
    path = tmp_path / "it.yaml"
    path.write_text(text)
    assert [mistake for mistake in check([path]).mistakes if place.split(".")[0] in mistake]
    assert [found for found in wrong("table.schema.json", text) if found.startswith(place)]


@pytest.mark.parametrize("says", ["simulation: false\n", ""])
def test_a_simulated_shoe_at_a_table_that_does_not_say_so_shows_in_an_editor(says):
    text = (CONFIG / "tables/demo.yaml").read_text()
    simulated = text.replace("driver: angel-eye", "driver: simulated")
    assert wrong("table.schema.json", simulated) == []
    without = re.sub(r"simulation: true.*\n", says, simulated)
    assert wrong("table.schema.json", without) == (["simulation"] if says else [""])


def test_a_number_that_stands_for_a_text_is_fine_in_an_editor_too():
    """An editor's YAML reads 1.5 as a number."""
    table = deepcopy(parse(source("it", (CONFIG / "tables/demo.yaml").read_text())).data)
    for value in (1.5, 7, True, "x"):
        table["name"] = table["shoe"]["port"] = value
        assert list(validator("table.schema.json").iter_errors(table)) == []
