"""House rules as a journal keeps them: the texts of their files, by what each file is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from controller.host.config import TableFile, load_table_texts
from controller.host.lines import RecordUnreadable
from controller.table.rules import HouseRules

KINDS = ("table", "paytable", "procedures")


def texts_of(file: TableFile) -> dict[str, str]:
    """The texts to keep, by kind."""
    return {kind: source.text for kind, source in zip(KINDS, file.sources, strict=False)}


def rules_of(texts: Mapping[str, str]) -> HouseRules:
    """The rules that kept texts mean. Raises ConfigErrors, RecordUnreadable when one of them is not there."""
    if missing := [kind for kind in KINDS[:2] if kind not in texts]:
        raise RecordUnreadable(f"a configuration was kept without its {' and '.join(missing)}")
    return load_table_texts(texts["table"], texts["paytable"], procedures_text=texts.get("procedures"))


@dataclass(slots=True)
class RecordedRules(Mapping[str, HouseRules]):
    """House rules by their identity, each read from its texts when it is first asked for.

    Asking raises RecordUnreadable when the texts are not those of this identity, ConfigErrors when they mean nothing.
    """

    texts: Mapping[str, Mapping[str, str]]
    _known: dict[str, HouseRules] = field(default_factory=dict)

    def __getitem__(self, identity: str) -> HouseRules:
        if identity not in self._known:
            rules = rules_of(self.texts[identity])
            if rules.identity != identity:
                raise RecordUnreadable(f"the configuration {identity[:12]} is not what was written")
            self._known[identity] = rules
        return self._known[identity]

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)
