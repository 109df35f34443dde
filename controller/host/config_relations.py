"""Where the keys of a table, each fine by itself, do not go together, or go together in an unusual way.

Told from the plain values, so that it is told in the same run as mistakes elsewhere in the file.
"""

from collections.abc import Collection, Iterator
from math import lcm

from controller.game.settlement import NotPayable, payable_multiple, winnings
from controller.game.shoe import CutCard
from controller.game.wagers import Paytable, Tier, Wager, odds_text
from controller.host.config_file import Finding
from controller.host.config_reasons import accepted, reasoned
from controller.host.config_shape import MISSING
from controller.host.config_table import DEPENDENTS
from controller.host.config_values import meant
from controller.host.yaml_strict import Document, Keys, Plain

OWN_LIMITS = ("differential", "bar_both_sides")
_MAIN = ("player", "banker")
_MOST_BURN_TOLD = 10  # the index field of the shoe's report

Relation = Iterator[tuple[Keys, str]]


def contradictions(document: Document, wagers: Collection[str] | None) -> list[Finding]:
    """What cannot go together; `wagers` are the paytable's ids, None when it could not be read."""
    pairs = [*_limits(document, wagers), *_dependents(document), *_shoe(document), *_simulated(document)]
    return [document.finding(keys, text) for keys, text in pairs if not document.broken.intersection((keys, keys[:-1]))]


def _number(value: Plain) -> int | None:
    return None if isinstance(value, bool) or not isinstance(value, int) or value < 0 else value


def _limits(document: Document, wagers: Collection[str] | None) -> Relation:
    limits = document.at("limits")
    for key, limit in limits.items() if isinstance(limits, dict) else ():
        if wagers is not None and key not in OWN_LIMITS and key not in wagers:
            yield ("limits", key), f"the paytable has no such wager{meant(key, [*wagers, *OWN_LIMITS])}"
        if wagers is not None and key in OWN_LIMITS and not set(_MAIN) <= set(wagers):
            yield ("limits", key), f"it is about {' and '.join(_MAIN)}, and the paytable lacks one of them"
        if isinstance(limit, dict):
            yield from _limit(("limits", key), limit)
    yield from _differential(document)


def _differential(document: Document) -> Relation:
    """The first bet on Player or Banker is what they differ by: the least one must be allowed."""
    most = _number(document.at("limits", "differential"))
    least = min(_least_stake(document.at("limits", wager)) for wager in _MAIN)
    if most is not None and most < least:
        what = f"{most} is below the least stake on {' or '.join(_MAIN)}, {least}: neither could ever be bet first"
        yield ("limits", "differential"), f"{what}; write {least} or more, or lower a min"


def _least_stake(limit: Plain) -> int:
    least, multiple = (_number(limit.get(key)) if isinstance(limit, dict) else None for key in ("min", "multiple"))
    return -(-max(least or 1, 1) // (multiple or 1)) * (multiple or 1)


def _limit(keys: Keys, limit: dict[str, Plain]) -> Relation:
    least, most, multiple = (_number(limit.get(key)) for key in ("min", "max", "multiple"))
    if least is None or most is None:
        return
    if least > most:
        yield (*keys, "max"), f"max {most} is below min {least}"
    elif multiple and most // multiple * multiple < least:
        yield (*keys, "multiple"), f"no multiple of {multiple} lies between min {least} and max {most}"


def _dependents(document: Document) -> Relation:
    for keys, value, dependent in DEPENDENTS:
        needed = (*keys[:-1], dependent)
        if document.at(*keys) == value and document.at(*needed) is None:
            yield needed, f"{MISSING}; it goes with {keys[-1]}: {value}"


def _shoe(document: Document) -> Relation:
    decks, depth, after = (
        _number(document.at("shoe", *keys)) for keys in (("decks",), ("cut_card", "depth"), ("cut_card", "coups_after"))
    )
    if depth is not None and after is not None and not (cut_card := CutCard(depth, after)).enough():
        what = f"the last coup may need {cut_card.needed} cards behind the cut card, {depth} are there"
        yield ("shoe", "cut_card", "depth"), f"{what}; write {cut_card.needed} or more, or fewer coups_after"
    burn = most_burned(document)
    if decks and depth is not None and burn is not None and decks * 52 - burn - depth < 6:
        what = f"{decks * 52} cards less {burn} burned leave no coup before a cut card {depth} from the end"
        yield ("shoe", "cut_card", "depth"), what


def most_burned(document: Document) -> int | None:
    """The most cards that a new shoe may lose to the burn, the first card among them; None when that is not known."""
    burn = ("shoe", "burn")
    match document.at(*burn, "by"):
        case "first-card":
            ace, court = (_number(document.at(*burn, key)) for key in ("ace", "court"))
            return max(9, 1 if ace is None else ace, 10 if court is None else court) + 1
        case "decks":
            return _number(document.at("shoe", "decks"))
        case "fixed":
            return _number(document.at(*burn, "cards"))
        case "none":
            return 0
        case _:
            return None


def _simulated(document: Document) -> Relation:
    if document.at("shoe", "driver") == "simulated" and document.at("simulation") in (None, False):
        yield (
            ("shoe", "driver"),
            "simulated is only for a table that says so; write simulation: true, or another driver",
        )


def ports(document: Document, shoe_port: str | None, display_port: str | None) -> list[Finding]:
    """A device that needs a port and has none, or that is given one on the command line and has no use for it."""
    found: list[Finding] = []
    for device, given in (("shoe", shoe_port), ("display", display_port)):
        told = (device, "port") in document.broken
        port = document.at(device, "port")
        driver = document.at(device, "driver")
        portless = _portless(document, device)
        if portless and given is not None:
            found.append(
                document.finding((device, "port"), f"driver {portless} has no port; take --{device}-port away")
            )
        elif isinstance(driver, str) and not portless and port is None and given is None and not told:
            found.append(document.finding((device, "port"), f"{MISSING}; it goes with driver: {driver}"))
    return found


def _portless(document: Document, device: str) -> str | None:
    """The device's driver when it is one that has no port."""
    driver = document.at(device, "driver")
    if device == "display":
        return "none" if driver in (None, "none") else None
    return "simulated" if driver == "simulated" else None


def unusual(document: Document, paytable: Paytable, paytable_document: Document) -> list[Finding]:
    """What a table may say and hardly can mean: warnings about a table without mistakes.

    The paytable's own document says what is accepted of a wager.
    """
    pairs = [*_idle(document), *_idle_ports(document), *_device(document), *_stakes(document, paytable)]
    found = [document.finding(keys, text) for keys, text in pairs]
    unpayable = [
        reasoned(document, keys, "not-payable", text)
        for keys, text in _unpayable(document, paytable)
        if "not-payable" not in accepted(paytable_document, str(keys[1]))
    ]
    return [*found, *(each.finding for each in unpayable)]


def _idle(document: Document) -> Relation:
    for keys, value, dependent in (
        *DEPENDENTS,
        *((("shoe", "burn", "by"), "first-card", key) for key in ("ace", "court")),
    ):
        beside = (*keys[:-1], dependent)
        if document.at(*keys) != value and document.at(*beside) is not None:
            yield beside, f"without effect; it goes with {keys[-1]}: {value}"


def _idle_ports(document: Document) -> Relation:
    for device in ("shoe", "display"):
        portless = _portless(document, device)
        if portless and document.at(device, "port") is not None:
            yield (device, "port"), f"without effect; driver {portless} has no port"


def _device(document: Document) -> Relation:
    if document.at("shoe", "driver") != "angel-eye":
        return
    if document.at("shoe", "copies") == 1:
        yield ("shoe", "copies"), "a report that is sent once is not confirmed by a second; only for units that cannot"
    burned = most_burned(document) or 0
    burned -= document.at("shoe", "burn", "by") == "first-card"
    if burned > _MOST_BURN_TOLD:
        yield ("shoe", "burn"), f"up to {burned} burn cards; this shoe can report {_MOST_BURN_TOLD}"


def _stakes(document: Document, paytable: Paytable) -> Relation:
    for wager in paytable.wagers:
        limit = document.at("limits", wager.id)
        if not isinstance(limit, dict):
            continue
        multiple = _number(limit.get("multiple")) or 1
        for key in ("min", "max"):
            if (_number(limit.get(key)) or 0) % multiple:
                yield ("limits", wager.id, key), f"{limit[key]} is no multiple of {multiple}: it cannot be staked"


def _unpayable(document: Document, paytable: Paytable) -> Relation:
    """Limits within which some multiples would be refused for what they win."""
    for wager in paytable.wagers:
        limit = document.at("limits", wager.id)
        if isinstance(limit, dict) and (stake := _number(limit.get("multiple")) or 1) % payable_multiple(
            paytable, wager
        ):
            tier = next(each for each in wager.tiers if not _payable(paytable, wager, each, stake))
            what = f"a stake of {stake} at {odds_text(tier.pays)} cannot be paid exactly"
            cure = f"write a multiple of {payable_multiple(paytable, wager)}, or another rounding in the paytable"
            yield ("limits", wager.id, "multiple"), f"{what}; {cure}"


def _payable(paytable: Paytable, wager: Wager, tier: Tier, stake: int) -> bool:
    try:
        winnings(paytable, wager, tier, stake)
    except NotPayable:
        return False
    return True


def never_staked(document: Document, paytable: Paytable) -> list[Finding]:
    """Mistakes: limits within which no stake at all could be paid, so that the wager can never be bet."""
    found = []
    for wager in paytable.wagers:
        limit = document.at("limits", wager.id)
        least, most, multiple = (
            _number(limit.get(key)) if isinstance(limit, dict) else None for key in ("min", "max", "multiple")
        )
        payable = lcm(multiple or 1, payable_multiple(paytable, wager))
        if least is not None and most is not None and most // payable * payable < least:
            what = f"no stake from {least} to {most} can be paid exactly; only multiples of {payable} can"
            found.append(document.finding(("limits", wager.id), f"{what}: write other limits, or another rounding"))
    return found
