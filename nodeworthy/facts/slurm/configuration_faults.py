"""What keeps slurmctld, or a slurmd, from reading its file: a key that it does not have, a value that is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.facts.slurm.configuration import Row, SlurmConf, rows
from nodeworthy.known.slurm import (
    gone_from_cgroup,
    has_key,
    key_meant,
    keys_of_lines,
    limits_of_accounting,
    numbers_of_configuration,
    refused_words,
    times_of_configuration,
    words_of_configuration,
)
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Place

# `64G`, `30s`; a k is 1024.
_WITH_A_UNIT = pattern(r"[0-9]+[A-JL-Za-jl-z][A-Za-z]*")
_A_TIME_IN_WORDS = pattern(r"[0-9]+(?:[-:][0-9]+)*[A-Za-z]+")
NO_LINE = "no such line"
_SHARED = ("mps", "shard")
# Words that no Slurm has taken.
_NEVER_TAKEN = frozenset({"accountingstorageenforce"})
_NO_TRES = ("select/linear", "select/cons_res")


@dataclass(frozen=True)
class CgroupConf:
    called: ClassVar[str] = "a cgroup.conf"

    place: Place
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A setting that ends the daemon when it reads its configuration."""

    place: Place
    written: str
    should: str
    # As the daemon says it.
    says: str
    # An older Slurm took it.
    is_old: bool = False


def cgroup_conf(text: str, place: Place, lines: Sequence[Place] = ()) -> CgroupConf:
    return CgroupConf(place, tuple(rows(text, place, lines)))


def unreadable_in_cgroup(conf: CgroupConf) -> Iterator[Unreadable]:
    gone = {each.lower(): each for each in gone_from_cgroup()}
    for row in conf.rows:
        for key in row.pairs:
            if key in gone:
                says = f"{gone[key]} was removed, and is no key any more"
                yield Unreadable(row.pairs[key].place, _as_written(row, key), NO_LINE, says, is_old=True)
            elif meant := key_meant(key, "cgroup"):
                says = f"Parsing error at unrecognized key: {row.spelt[key]}"
                yield Unreadable(row.pairs[key].place, _as_written(row, key), f"{meant}={row.text(key)}", says)


def _as_written(row: Row, key: str) -> str:
    return f"{row.spelt.get(key, key)}={row.text(key)}"


def unreadable_settings(conf: SlurmConf) -> Iterator[Unreadable]:
    """What single settings say wrong, in the order of the file; then what several say together."""
    seen: set[Place] = set()  # what a default says stands in every line behind it
    for row in sorted((*conf.settings, *conf.every_node, *conf.partitions), key=lambda each: each.place.row):
        for key in row.pairs:
            # A template may put several of its lines into one.
            found = _of_setting(row, key) or (None if conf.includes else _of_another_line(row, key))
            if found is not None and found.place not in seen:
                seen.add(found.place)
                yield found
    yield from _together(conf)


def _of_setting(row: Row, key: str) -> Unreadable | None:
    state = row.pairs[key].state
    if not isinstance(state, Known):
        return None
    place, value, written, spelt = row.pairs[key].place, state.value, _as_written(row, key), row.spelt.get(key, key)
    if meant := key_meant(key):
        return Unreadable(place, written, f"{meant}={value}", f"Parsing error at unrecognized key: {spelt}")
    if key in limits_of_accounting():
        should = f"a limit of a QOS or an account: sacctmgr modify qos normal set {spelt}={value}"
        return Unreadable(place, written, should, f"Parsing error at unrecognized key: {spelt}")
    if key in numbers_of_configuration() and _WITH_A_UNIT.fullmatch(value):
        unit = "megabytes" if "mem" in key or key == "tmpdisk" else "seconds"
        return Unreadable(
            place, written, f"a number alone, in {unit}", f"{spelt} value ({value}) is not a valid number"
        )
    if key in times_of_configuration() and _A_TIME_IN_WORDS.fullmatch(value):
        should = "minutes, hours:minutes:seconds, or days-hours:minutes:seconds"
        return Unreadable(place, written, should, f'Bad value "{value}" for {spelt}')
    return _of_words(row, key, value)


def _of_another_line(row: Row, key: str) -> Unreadable | None:
    """A key of a node or of a partition on a line that begins with something else, as `MaxTime` for all partitions."""
    begins = {name: name.lower() in row.pairs for name in keys_of_lines()}
    belongs = [name for name, keys in keys_of_lines().items() if key in keys]
    # A line with what slurm.conf does not have is of another file, as topology.conf's SwitchName.
    if not belongs or any(begins[name] for name in belongs) or not all(map(has_key, row.pairs)):
        return None
    for_all = " or ".join(f"{name}=DEFAULT" for name in belongs)
    should = f"{_as_written(row, key)} on a line that begins with {' or '.join(belongs)} ({for_all}, for all of them)"
    says = f"Parsing error at unrecognized key: {row.spelt.get(key, key)}"
    return Unreadable(row.pairs[key].place, _as_written(row, key), should, says)


def _of_words(row: Row, key: str, value: str) -> Unreadable | None:
    known, refused = words_of_configuration().get(key), refused_words().get(key, {})
    place, spelt = row.pairs[key].place, row.spelt.get(key, key)
    for word in (each.strip() for each in value.split(",")):
        if word.lower() in refused:
            should = refused[word.lower()] or f"{spelt} without it"
            says = f"Can't find plugin for {word}" if word.startswith("select/") else f"invalid {spelt}: {word}"
            is_old = key not in _NEVER_TAKEN
            return Unreadable(place, _as_written(row, key), should, says, is_old)
        if known is not None and word.lower().startswith("cr_") and word.lower() not in known:
            return Unreadable(place, _as_written(row, key), "CR_Core_Memory, for one", f"Bad {spelt}: {word}")
    return None


def _together(conf: SlurmConf) -> Iterator[Unreadable]:
    """The faults of several settings together; none where another file may say the rest."""
    if conf.includes:
        return
    said = {key: row for row in conf.settings for key in row.pairs}
    counts, stores = _value(said, "accountingstoragetres"), _value(said, "accountingstoragetype")
    if "gres/" in counts and stores in ("", "accounting_storage/none"):
        place = said["accountingstoragetres"].pairs["accountingstoragetres"].place
        should = "AccountingStorageType=accounting_storage/slurmdbd beside it"
        yield Unreadable(
            place, f"AccountingStorageTRES={counts}", should, f"slurmdbd is required to run with TRES {counts}"
        )
    types, select = _value(said, "grestypes").split(","), _value(said, "selecttype")
    if select in _NO_TRES and any(each.strip() in _SHARED for each in types):
        says = "Use of shared gres requires the use of select/cons_tres"
        yield Unreadable(said["selecttype"].pairs["selecttype"].place, f"SelectType={select}", "select/cons_tres", says)
    who, how = _value(said, "preempttype"), _value(said, "preemptmode").upper()
    if who not in ("", "preempt/none") and how in ("", "OFF"):
        place = said["preempttype"].pairs["preempttype"].place
        yield Unreadable(place, f"PreemptType={who}", "PreemptMode=REQUEUE beside it", _INCOMPATIBLE)


_INCOMPATIBLE = "PreemptType and PreemptMode values incompatible"


def _value(said: dict[str, Row], key: str) -> str:
    """What is known of it, in small letters; a word of its own where somebody fills it in."""
    if key not in said:
        return ""
    state = said[key].pairs[key].state
    return state.value.lower() if isinstance(state, Known) else "filled in"
