"""Bottlerocket's user data: settings in TOML, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.boot.bottlerocket_settings import refused_settings
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Effect, How, Joins, Writes
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.text import Text
from nodeworthy.boot.toml_positions import Path, key_positions
from nodeworthy.boot.userdata import FaultKind, Part, UserDataFault
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Known, Located, Place, Unknown

_AT_LINE = pattern(r"\(at line (\d+), column (\d+)\)")
# What a template puts in unquoted: a value, or whole lines.
_BARE = pattern(r"(?m)(=[ \t]*)\ue000([^\n\"'#])(\uf8ff+)(?=[ \t]*$)")
_ALONE = pattern(r"(?m)^([ \t]*)\ue000.\uf8ff*[ \t]*$")
# tomllib takes the square of a key's length.
_DOTS = 1000


@dataclass(frozen=True)
class Settings:
    place: Place
    values: Mapping[str, Any]
    origin: Origin
    fillings: Fillings
    positions: Mapping[Path, tuple[int, int]] = field(default_factory=dict)
    faults: tuple[UserDataFault, ...] = ()

    def get(self, *path: str) -> Located[Any] | None:
        """A setting by its path below `settings`, with its place; None where nobody wrote it."""
        value: Any = self.values
        for name in path:
            if not isinstance(value, Mapping) or name not in value:
                return None
            value = value[name]
        place = self.place_of(*path)
        if isinstance(value, str):
            text = self.fillings.text(value)
            state = Known(text.known) if text.known is not None else Unknown(text.doubt())
            return Located(state, place)
        return Located(Known(value), place)

    def place_of(self, *path: str) -> Place:
        full = self._begin(("settings", *path))
        for end in range(len(full), 0, -1):
            if full[:end] in self.positions:
                return self.origin.at(*self.positions[full[:end]]).about(".".join(full))
        return self.place

    def _begin(self, full: Path) -> Path:
        """Of a table that only its own tables head, the first of these."""
        return next((each for each in self.positions if each[: len(full)] == full), full)


def read_settings(text: str, origin: Origin, *, template: bool = False, braced: bool = False) -> Settings:
    """`template` says that Terraform fills it in first, `braced` that Go or Jinja does."""
    fillings = Fillings(jinja=braced)
    faults: list[UserDataFault] = []
    if template or braced:
        text = _hidden(text, fillings, origin, faults)
    if any(line.count(".") > _DOTS for line in text.split("\n")):
        what = "a line of the settings is too long to be read"
        fault = UserDataFault(FaultKind.TOO_LARGE, origin.at(1), what, is_doubt=True)
        return Settings(origin.at(1), {}, origin, fillings, faults=(*faults, fault))
    # Few nodes are Bottlerocket's, and what reads TOML takes longer to import than all of this.
    import tomllib

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as problem:
        found = _AT_LINE.search(str(problem))
        place = origin.at(int(found[1]), int(found[2])) if found else origin.at(1)
        why = _AT_LINE.sub("", str(problem)).strip().lower() or "nested too deep"
        what = f"the settings are no TOML ({why}): Bottlerocket takes none of them"
        faults.append(UserDataFault(FaultKind.NOT_READABLE, place, what, "mend the TOML"))
        return Settings(origin.at(1), {}, origin, fillings, faults=tuple(faults))
    settings = document.get("settings")
    positions = key_positions(text)
    faults += _strangers(document, origin, positions)
    values = settings if isinstance(settings, Mapping) else {}
    read = Settings(origin.at(1), values, origin, fillings, positions)
    return replace(read, faults=(*faults, *refused_settings(read)))


def effects_of(part: Part, *, template: bool = False) -> Sequence[Effect]:
    settings = read_settings(part.text, part.origin, template=template, braced=part.jinja)
    labels = settings.get("kubernetes", "node-labels")
    return (
        *_hosts(settings, part),
        Joins(
            place=settings.place_of("kubernetes"),
            stage=part.stage,
            how="bottlerocket",
            cluster=settings.get("kubernetes", "cluster-name"),
            endpoint=settings.get("kubernetes", "api-server"),
            authority=settings.get("kubernetes", "cluster-certificate"),
            dns=_one_address(settings.get("kubernetes", "cluster-dns-ip")),
            labels=tuple(_labels(labels, settings.fillings)),
            hidden_labels=tuple(_hidden_labels(labels, settings.fillings)),
        ),
    )


def _one_address(setting: Located[Any] | None) -> Located[str] | None:
    """The address, where it is one; the setting may hold a list, too."""
    if setting is None or (isinstance(setting.state, Known) and not isinstance(setting.state.value, str)):
        return None
    return setting


def _hosts(settings: Settings, part: Part) -> Iterator[Effect]:
    """Bottlerocket adds what `network.hosts` lists, each an address and its names, to /etc/hosts."""
    hosts = settings.get("network", "hosts")
    if hosts is None or not isinstance(hosts.state, Known) or not isinstance(hosts.state.value, list):
        return
    for each in hosts.state.value:
        match each:
            case [str(address), [*names]] if all(isinstance(name, str) for name in names):
                line = Line(settings.fillings.text(" ".join([address, *names])), hosts.place)
                path, content = Text.of("/etc/hosts"), Content((line,))
                yield Writes(place=hosts.place, stage=part.stage, path=path, how=How.APPEND, content=content)


def _labels(labels: Located[Any] | None, fillings: Fillings) -> Iterator[tuple[str, str]]:
    if labels is None or not isinstance(labels.state, Known) or not isinstance(labels.state.value, Mapping):
        return
    for name, value in labels.state.value.items():
        known = fillings.text(str(name)).known, fillings.text(str(value)).known
        if known[0] is not None and known[1] is not None:
            yield known[0], known[1]


def _hidden_labels(labels: Located[Any] | None, fillings: Fillings) -> Iterator[str]:
    if labels is None or not isinstance(labels.state, Known) or not isinstance(labels.state.value, Mapping):
        return
    for name, value in labels.state.value.items():
        label = fillings.text(f"{name}={value}")
        if label.known is None:
            yield label.shown()


def _strangers(
    document: Mapping[str, Any], origin: Origin, positions: Mapping[Path, tuple[int, int]]
) -> Iterator[UserDataFault]:
    for name, value in document.items():
        if name != "settings":
            place = origin.at(*positions.get((name,), (1, 1)))
            is_table = isinstance(value, (Mapping, list))
            else_ = "any other table" if is_table else "a key of its own"
            what = f"'{name}' stands beside 'settings': Bottlerocket refuses user data with {else_}"
            mended = f"let it be [settings.{name}]" if is_table else "put it below its table, [settings.kubernetes] say"
            yield UserDataFault(FaultKind.NOBODY_READS_IT, place, what, f"{mended}, or remove it", is_doubt=True)


def _hidden(text: str, fillings: Fillings, origin: Origin, faults: list[UserDataFault]) -> str:
    hidden = fillings.hide(text)
    for found in _ALONE.finditer(hidden):
        line = hidden.count("\n", 0, found.start()) + 1
        what = "a template puts settings in here that are not known"
        faults.append(UserDataFault(FaultKind.NOT_READ_HERE, origin.at(line), what, is_doubt=True))
    hidden = _ALONE.sub(lambda found: "#".ljust(len(found[0])), hidden)
    return _BARE.sub(lambda found: f'{found[1]}"\ue000{found[2]}{found[3][2:]}"', hidden)
