"""What `slurm.conf` and `gres.conf` say of the GPUs of nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import ClassVar

from nodeworthy.facts.slurm.hostlist import names_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Known, Located, NotKnown, Place, need

_PAIR = pattern(r"([A-Za-z][\w/]*)\s*=\s*(\"[^\"]*\"|(?:\{\{.*?\}\}|\S)+)")
_INCLUDES = pattern(r"(?im)^[ \t]*include[ \t]|\{\{|\{%|\$\{")
# What a template does stands in no file that comes of it: `{% set node = hostvars[name] %}`.
_STATEMENT = pattern(r"^[ \t]*\{%[^%\n]{0,400}%\}[ \t]*$")
_FILLED_IN = pattern(r"\{\{|\{%|\$\{|@\w+@")
_GPU = pattern(r"gpu(?::(?P<type>(?!\d+(?:\(|\Z))[\w.+-]+))?(?::(?P<count>\d+))?(?:\([^)]*\))?", re.IGNORECASE)
# What mends a password in one of them.
KEPT_BY_SLURM = (
    "let whatever builds the machine of slurmdbd fetch it from a store and write it into its slurmdbd.conf, which only "
    "SlurmUser may read (slurm.conf is read by everybody: slurmdbd keeps records of jobs without a JobCompPass in it); "
    "then change it, for it has been seen"
)
_GPUS, _NO_DETECTION = "gpu", "off"
_NUMBERS = pattern(r"\d{1,6}")
_STARRED = pattern(r"[*?]")
_TELL_APART = frozenset({"file", "multiplefiles", "type"})
_OF_A_PART = frozenset({"nodename", "partitionname", "nodeset", "downnodes", "frontendname"})
_COME_BY_THEMSELVES = frozenset({"maxnodecount", "nodeset"})

# Without one of these nothing of Slurm's starts.
_OF_A_CLUSTER = frozenset({"clustername", "slurmctldhost", "controlmachine"})


@dataclass(frozen=True, slots=True)
class Row:
    """One line, with those that go on with it; keys in small letters."""

    place: Place
    pairs: Mapping[str, Located[str]]
    # The keys as they are written.
    spelt: Mapping[str, str] = field(default_factory=dict)

    def known(self, key: str) -> str | None:
        """None where nobody says it; ends the judgement where it is filled in later."""
        return need(self.pairs[key]) if key in self.pairs else None

    def text(self, key: str) -> str:
        """What is known of it, and what is filled in as it is written."""
        state = self.pairs[key].state if key in self.pairs else Known("")
        return state.value if isinstance(state, Known) else state.why


@dataclass(frozen=True, slots=True)
class Gpus:
    """So many of one type; where none is said, of any."""

    type: str | None
    count: int


@dataclass(frozen=True, eq=False)
class SlurmConf:
    called: ClassVar[str] = "a slurm.conf"

    place: Place
    # A line of nodes each; what `NodeName=DEFAULT` says is in them.
    every_node: tuple[Row, ...]
    # Those with GPUs.
    nodes: tuple[Row, ...]
    partitions: tuple[Row, ...]
    gres_types: Located[str] | None
    # What other files say, or what is filled in later, is not looked at.
    includes: bool
    # Nodes may come by themselves, and say what they have (slurmd -Z).
    grows: bool = False
    # What holds for all of the cluster, by its keys in small letters.
    settings: tuple[Row, ...] = ()

    @property
    def is_included(self) -> bool:
        """Whether it is a part of another file, which has what every slurm.conf must have."""
        named = any(_OF_A_CLUSTER & each.pairs.keys() for each in self.settings)
        return not named and not PurePath(self.place.file).name.startswith("slurm.conf")


@dataclass(frozen=True, eq=False)
class GresConf:
    called: ClassVar[str] = "a gres.conf"

    place: Place
    gpus: tuple[Row, ...]
    # Whether Slurm finds the GPUs by itself, so that no line need count them.
    detects: bool


def slurm_conf(text: str, place: Place, lines: Sequence[Place] = ()) -> SlurmConf:
    """`lines`: where each of its lines stands, of a file that a script writes."""
    every = list(rows(text, place, lines))
    types = [each.pairs["grestypes"] for each in every if "grestypes" in each.pairs]
    includes = _INCLUDES.search(text) is not None
    partitions = tuple(each for each in every if "partitionname" in each.pairs)
    nodes = tuple(_nodes(every))
    with_gpus = tuple(each for each in nodes if _GPUS in each.text("gres").lower())
    grows = any(_COME_BY_THEMSELVES & each.pairs.keys() for each in every)
    settings = tuple(each for each in every if not _OF_A_PART & each.pairs.keys())
    return SlurmConf(place, nodes, with_gpus, partitions, types[-1] if types else None, includes, grows, settings)


def gres_conf(text: str, place: Place, lines: Sequence[Place] = ()) -> GresConf:
    every = list(rows(text, place, lines))
    detects = any(each.text("autodetect").lower() not in ("", _NO_DETECTION) for each in every)
    return GresConf(place, tuple(each for each in every if each.text("name").lower() == _GPUS), detects)


def starred_names(rows: Sequence[Row]) -> Iterator[Located[str]]:
    """NodeNames with what stands for any letters elsewhere: Slurm knows lists in brackets, and nothing of the kind."""
    for row in rows:
        name = row.pairs.get("nodename")
        if name is not None and isinstance(name.state, Known) and _STARRED.search(name.state.value) is not None:
            yield name


def _nodes(every: list[Row]) -> Iterator[Row]:
    """`NodeName=DEFAULT` is no node: what it says holds for the lines behind it."""
    default: Mapping[str, Located[str]] = {}
    for row in every:
        if row.text("nodename").upper() == "DEFAULT":
            default = {**default, **row.pairs}
        elif "nodename" in row.pairs:
            yield Row(row.place, {**default, **row.pairs}, row.spelt)


def rows(text: str, place: Place, lines: Sequence[Place] = ()) -> Iterator[Row]:
    """Each line with something in it; a `\\` at its end goes on, a `#` begins a comment."""
    pairs: dict[str, Located[str]] = {}
    spelt: dict[str, str] = {}
    first: Place | None = None
    for number, line in enumerate(text.splitlines(), 1):
        begins = lines[number - 1] if lines else Place(place.path, number, 1)
        said = _STATEMENT.sub("", line.partition("#")[0]).rstrip()
        goes_on = said.endswith("\\")
        first = first or begins
        for found in _PAIR.finditer(said.removesuffix("\\")):
            where = Place(begins.path, begins.line, (begins.column or 1) + found.start(2))
            pairs[found[1].lower()] = _value(found[2].strip('"'), where)
            spelt[found[1].lower()] = found[1]
        if not goes_on:
            if pairs:
                yield Row(first, pairs, spelt)
            pairs, spelt, first = {}, {}, None


def _value(text: str, place: Place) -> Located[str]:
    if _FILLED_IN.search(text):
        return Located.unknown(f"{text} is filled in later", place)
    return Located.known(text, place)


def gpus_of_node(row: Row) -> list[Gpus]:
    """What `Gres=gpu:a100:8,mps:400` says of GPUs."""
    said = row.pairs["gres"]
    entries = [each.strip() for each in need(said).split(",") if each.strip().lower().startswith(_GPUS)]
    found = [_GPU.fullmatch(each) for each in entries]
    if None in found:
        raise NotKnown(f"how many GPUs Gres={need(said)} says is not understood", said.place)
    return [Gpus(each["type"], int(each["count"] or 1)) for each in found if each is not None]


def gpus_of_row(row: Row) -> Gpus | None:
    """The GPUs of a line of gres.conf; None where nobody can count them here."""
    kind, count, files = (row.known(key) for key in ("type", "count", "file"))
    if "multiplefiles" in row.pairs or (count is not None and not count.isdigit()):
        return None
    if count is not None:
        return Gpus(kind, int(count))
    there = names_of(files) if files is not None else ["one"]
    return Gpus(kind, len(there)) if there is not None else None


def named_twice(gres: GresConf) -> Iterator[tuple[Row, Row]]:
    """Two lines of one node that say nothing by which they differ; slurmd takes one without File and Type."""
    bare = [each for each in gres.gpus if not each.pairs.keys() & _TELL_APART]
    first: dict[str | None, Row] = {}
    for row in bare if len(bare) > 1 else ():
        node = row.known("nodename")
        if node in first:
            yield first[node], row
        first.setdefault(node, row)


def files_twice(gres: GresConf) -> Iterator[tuple[Row, Row, str]]:
    """Two lines of one node that name the same device, and its path."""
    first: dict[tuple[str | None, str], Row] = {}
    for row in gres.gpus if len(gres.gpus) > 1 else ():
        for path in names_of(row.known("file") or "") or ():
            before = first.setdefault((row.known("nodename"), path), row)
            if before is not row:
                yield before, row, path


def nodes_left_out(conf: SlurmConf, gres: GresConf) -> list[tuple[Row, str]]:
    """The nodes with GPUs that no line of gres.conf is for, where each line names its nodes; each with the line of
    slurm.conf that promises. A file with lines for one of the nodes alone may be that node's own."""
    named = [names_of(each.known("nodename") or "") for each in gres.gpus]
    if not named or not all(named):
        return []
    there = {name for names in named for name in names or ()}
    lines = [(node, names_of(need(node.pairs["nodename"])) or []) for node in conf.nodes if _has_gpus(node)]
    every = [(node, name) for node, names in lines for name in names]
    return [] if sum(name in there for _, name in every) == 1 else [each for each in every if each[1] not in there]


def cores_beyond(conf: SlurmConf, gres: GresConf) -> Iterator[tuple[Row, Row, str, int]]:
    """A line of gres.conf that gives a GPU more cores than its node has: the line, the node's, the key, how many there
    are. Slurm counts cores there, and threads nowhere."""
    for node in conf.nodes:
        has = _cores(node)
        if has is None:
            continue
        names = frozenset(names_of(node.text("nodename")) or ())
        for row in gres.gpus:
            of = names_of(row.text("nodename"))
            key = next((each for each in ("cores", "cpus") if each in row.pairs), None)
            if key is None or of is None or (of and names.isdisjoint(of)):
                continue
            state = row.pairs[key].state
            numbers = [int(each) for each in _NUMBERS.findall(state.value)] if isinstance(state, Known) else []
            if max(numbers, default=-1) >= has:
                yield row, node, key, has


def _cores(node: Row) -> int | None:
    """None where its line does not say."""
    counts = [node.text(each) for each in ("sockets", "corespersocket")]
    whole = [int(each) for each in counts if each.isdigit()]
    return whole[0] * whole[1] if len(whole) == 2 and "boards" not in node.pairs else None


def _has_gpus(node: Row) -> bool:
    return any(each.count for each in gpus_of_node(node))


@dataclass(frozen=True, slots=True)
class Short:
    """A node for which gres.conf has fewer GPUs than slurm.conf says."""

    node: Row
    said: Gpus
    has: int
    # The line that has them, or the last of several.
    row: Row


def short_nodes(conf: SlurmConf, gres: GresConf) -> Iterator[Short]:
    """At most one of each line of slurm.conf."""
    said = {need(each.pairs["gres"]) for each in conf.nodes}
    if len(said) > 1 and any("nodename" not in each.pairs for each in gres.gpus):
        return  # it is the file of one kind of node, and nobody says of which
    lines = [(each, names_of(each.known("nodename") or "")) for each in gres.gpus]
    for node in conf.nodes:
        yield from islice(_short(node, lines), 1)


def _short(node: Row, lines: list[tuple[Row, list[str] | None]]) -> Iterator[Short]:
    for name in names_of(need(node.pairs["nodename"])) or ():
        own = [row for row, names in lines if names == [] or (names is not None and name in names)]
        counted = [(row, gpus) for row in own if (gpus := gpus_of_row(row)) is not None]
        if not own or len(counted) < len(own):
            continue
        for said in gpus_of_node(node):
            has = sum(each.count for _, each in counted if _may_be(each.type, said.type))
            if has < said.count:
                yield Short(node, said, has, own[-1])


def _may_be(one: str | None, other: str | None) -> bool:
    """Whether one name may be a part of the other: `a100` is `nvidia_a100-sxm4-80gb` as Slurm finds it."""
    if one is None or other is None:
        return True
    return one.lower() in other.lower() or other.lower() in one.lower()


def partition_of(conf: SlurmConf, name: str) -> Row | None:
    """None where it says nothing of it, or not all of what there is."""
    rows_of_it = (each for each in conf.partitions if each.text("partitionname") == name and "nodes" in each.pairs)
    return next(rows_of_it, None) if not conf.includes else None


def gpus_in_partition(conf: SlurmConf, partition: Row) -> list[list[Gpus]]:
    """What each kind of its nodes has."""
    names = names_of(need(partition.pairs["nodes"])) or ["ALL"]
    nodes = (each for each in conf.nodes if names == ["ALL"] or _is_among(each, frozenset(names)))
    return [gpus_of_node(each) for each in nodes]


def unknown_nodes(conf: SlurmConf, partition: Row) -> list[str]:
    """The nodes of a partition that nobody defines, where all of them are told here."""
    names = names_of(partition.known("nodes") or "") or []
    if conf.includes or conf.grows or not conf.every_node or [each.upper() for each in names] == ["ALL"]:
        return []
    defined = [names_of(need(each.pairs["nodename"])) for each in conf.every_node]
    there = {name for known in defined for name in known or ()}
    return [] if None in defined else [each for each in names if each not in there]


def most_of_type(nodes: list[list[Gpus]], kind: str | None) -> int:
    """The most that one of them has of a type: slurmctld knows a GPU by the very name that slurm.conf gives it."""
    return max((sum(each.count for each in gpus if kind in (None, each.type)) for gpus in nodes), default=0)


def _is_among(node: Row, names: frozenset[str]) -> bool:
    return not names.isdisjoint(names_of(need(node.pairs["nodename"])) or names)
