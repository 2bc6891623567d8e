"""What Slurm's and the launchers' command lines take, and what clusters call their GPUs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from nodeworthy.known.gpus import gpu_named, gpu_names
from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern

# What a cluster puts behind a GPU's name: its form, its memory (NTNU's `a100m40`), a letter of its own (Compute
# Canada's `v100l`).
_BEHIND = r"(?:[-_ .](?:\d+g?b?|\d+c)|[-_ .]?(?:\d+gb|sxm\d?|hbm\d?\w?|[a-z]+\d*))*"
# `1g.10gb`, `a100_3g.20gb`, `nvidia_a100_1g.10gb`; also `1g_10gb` and `mig`.
_MIG = pattern(r"(?:^|[^a-z0-9])(?:\d+g[._]\d+gb|mig)(?=$|[^a-z0-9]|\d)|^\d+g[._]\d+gb", re.IGNORECASE)

# A name of so many letters is no other word with two of them changed.
_TOO_LONG_FOR_ANOTHER = 6
_MIXED = pattern(r"[a-zA-Z]\d|\d[a-zA-Z]")


@cache
def _table() -> Mapping[str, Any]:
    return table_of("slurm")


def long_name(letter: str) -> str | None:
    name: str | None = _table()["short"].get(letter)
    return name


@cache
def flags(program: str) -> frozenset[str]:
    """The options of `srun` (and sbatch), `torchrun`, `accelerate`, `deepspeed` that take no value."""
    return frozenset(_table()[program]["flags"])


def stays_on_its_node(program: str) -> bool:
    """Whether a command of this name starts nothing on another node."""
    return program in _table()["here"]["programs"]


@cache
def is_known_to_torchrun(option: str) -> bool:
    """Whether torchrun has this option, written with `_`; argparse accepts the beginning of a name."""
    return any(each.startswith(option) for each in _table()["torchrun"]["options"])


@cache
def optional() -> frozenset[str]:
    return frozenset(_table()["srun"]["optional"])


@cache
def refused_by_sbatch() -> frozenset[str]:
    """The options that sbatch itself reads, and that end it where they are none of what it takes."""
    return frozenset(_table()["refused"]["by_sbatch"])


@cache
def refused_by_slurm() -> frozenset[str]:
    """The options that are names of what a cluster has: it refuses a job that names anything else."""
    return frozenset(_table()["refused"]["by_slurm"])


@cache
def refused_by_pyxis() -> frozenset[str]:
    """The options without which the container of a job does not start."""
    return frozenset(_table()["refused"]["by_pyxis"])


@cache
def options_of_sbatch() -> frozenset[str]:
    """All that it knows by their long names; those of a site's plugins are not among them."""
    return frozenset(_table()["sbatch"]["options"])


@cache
def options_of_srun_alone() -> frozenset[str]:
    """What sbatch does not take in a job's lines, and no plugin of a site's brings."""
    return frozenset(_table()["srun"]["alone"])


@cache
def exclusions() -> Mapping[str, tuple[str, ...]]:
    """For each option of sbatch, the options beside which sbatch ends."""
    groups: Sequence[Sequence[str]] = _table()["sbatch"]["exclude_each_other"]
    return {one: tuple(other for other in group if other != one) for group in groups for one in group}


@cache
def option_meant(name: str) -> str:
    """The option that is meant by a name that sbatch does not know. Empty where a plugin may well bring it."""
    meant: Mapping[str, str] = _table()["sbatch"]["meant"]
    return meant.get(name) or _by_spelling().get(_spelt(name)) or _by_slip().get(name, "")


@cache
def _by_spelling() -> Mapping[str, str]:
    return {spelt: name for name in sorted(options_of_sbatch()) for spelt in (_spelt(name), name.replace("-", ""))}


@cache
def _by_slip() -> Mapping[str, str]:
    long_ones = (each for each in sorted(options_of_sbatch()) if len(each) >= _TOO_LONG_FOR_ANOTHER)
    return {slip: name for name in long_ones for slip in _slips_of(name)}


def _spelt(name: str) -> str:
    """`gpu_per_node`, `cpus-per-tasks`: without what goes wrong."""
    return "".join(word.removesuffix("s") for word in re.split("[-_]", name.lower()))


def removed_options() -> Mapping[str, tuple[str, str]]:
    """The options of slurm.conf that slurmctld no longer takes, by their names in small letters, and what to write
    instead."""
    gone: Mapping[str, str] = _table()["gone"]
    return {name.lower(): (name, instead) for name, instead in gone.items()}


def key_meant(key: str, table: str = "configuration") -> str:
    """The key that was meant by one that slurm.conf or cgroup.conf does not have; empty where there is none."""
    had, by_spelling, by_slip = _keys_of(table)
    if key.lower() in had:
        return ""
    return by_spelling.get(_spelt(key)) or by_slip.get(key.lower(), "")


@cache
def _keys_of(table: str) -> tuple[frozenset[str], Mapping[str, str], Mapping[str, str]]:
    """The keys that there are, in small letters; and the key that is meant by another spelling, and by a slip."""
    keys: Sequence[str] = _table()[table]["keys"]
    by_slip = {slip: each for each in reversed(keys) for slip in _slips_of(each.lower())}
    return frozenset(each.lower() for each in keys), {_spelt(each): each for each in reversed(keys)}, by_slip


@cache
def keys_of_lines() -> Mapping[str, frozenset[str]]:
    """By what a line of slurm.conf begins with: the keys that stand on no line without it, in small letters."""
    lines = _table()["configuration"]["lines"]
    of_nodes, of_partitions = (frozenset(each.lower() for each in lines[name]) for name in ("nodes", "partitions"))
    return {"NodeName": of_nodes, "PartitionName": of_partitions}


@cache
def has_key(key: str) -> bool:
    return key.lower() in _keys_of("configuration")[0]


@cache
def limits_of_accounting() -> frozenset[str]:
    """What sacctmgr sets and slurm.conf does not have, in small letters."""
    return frozenset(each.lower() for each in _table()["configuration"]["limits"])


@cache
def numbers_of_configuration() -> frozenset[str]:
    """The keys whose value is a number, in small letters."""
    return frozenset(each.lower() for each in _table()["configuration"]["numbers"])


@cache
def times_of_configuration() -> frozenset[str]:
    return frozenset(each.lower() for each in _table()["configuration"]["times"])


@cache
def words_of_configuration() -> Mapping[str, frozenset[str]]:
    """The words that a key may have, both in small letters."""
    words: Mapping[str, Sequence[str]] = _table()["configuration"]["words"]
    return {key.lower(): frozenset(each.lower() for each in known) for key, known in words.items()}


@cache
def refused_words() -> Mapping[str, Mapping[str, str]]:
    """For each key in small letters, the words over which slurmctld ends, and what to write instead."""
    refused: Mapping[str, Mapping[str, str]] = _table()["configuration"]["refused"]
    return {key.lower(): words for key, words in refused.items()}


@cache
def gone_from_cgroup() -> frozenset[str]:
    return frozenset(_table()["cgroup"]["gone"])


# What jobs start, by the names that fingers trip over.
_OFTEN = ("python", "python3", "torchrun", "accelerate", "deepspeed")


@cache
def program_meant(program: str) -> str:
    """The program that is meant by a name that nobody has: two of its letters have changed their places."""
    if program in _OFTEN:
        return ""
    return next((each for each in _OFTEN if program in _slips_of(each)), "")


@cache
def _slips_of(name: str) -> frozenset[str]:
    pairs = range(len(name) - 1)
    swapped = {name[:at] + name[at + 1] + name[at] + name[at + 2 :] for at in pairs}
    fewer = {name[:at] + name[at + 1 :] for at in range(len(name))}
    twice = {name[:at] + name[at] + name[at:] for at in range(len(name))}
    return frozenset((swapped | fewer | twice) - {name})


def sets_threads(program: str) -> str:
    """When it sets OMP_NUM_THREADS by itself: always, for several processes on a node, or never ("")."""
    when: Mapping[str, str] = _table()["threads"]
    return when.get(program, "")


def has_own_pool(module: str) -> bool:
    """Whether it computes in threads that OpenMP does not start."""
    modules: Sequence[str] = _table()["pool"]["modules"]
    return module.partition(".")[0].lower() in modules


def says_mig(name: str) -> bool:
    """Whether a gres type, a partition or a feature is a slice of a GPU."""
    return _MIG.search(name) is not None


def most_of(gpu: str | None) -> int:
    """How many of this GPU one node can have."""
    most: Mapping[str, int] = _table()["gpu"]["most"]
    return most["untyped"] if gpu is None else most.get(gpu, most["default"])


def is_plain(word: str) -> bool:
    return word.lower() in _table()["gpu"]["plain"]


@cache
def _others() -> Mapping[str, str]:
    """Further names of GPUs, and their numbers alone (`2080ti`)."""
    named = [*_table()["gpu"]["also"], *(each for each in gpu_names() if each.startswith("RTX"))]
    numbered = {re.sub(r"^(?:quadro)?[rg]tx", "", _bare(each)): each for each in reversed(named)}
    return {
        **{number: each for number, each in numbered.items() if number[:1].isdigit()},
        **{_bare(n): n for n in named},
    }


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def gpu_of_type(name: str) -> str | None:
    """The GPU that a gres type names, also with what a cluster adds (`a100_80gb`, `v100l`, `nvidia_a100_1g.10gb`)."""
    bare = re.sub(r"^(?:(?:nvidia|tesla|geforce|amd|gpu)[-_ :]?)+", "", name.lower())
    known = gpu_named(name) or gpu_named(bare)
    if known is not None:
        return known.name
    # A letter of the site's own before a card's number: `t2080ti`, `q8000`.
    numbered = re.sub(r"^[a-z](?=\d{4})", "", _bare(bare))
    for each in (_bare(bare), numbered):
        if each in _others():
            return _others()[each]
    begins = (each for each in (*gpu_names(), *_others().values()) if _bare(bare).startswith(_bare(each)))
    return next((each for each in sorted(begins, key=len, reverse=True) if _is_more_of(each, bare)), None)


def _is_more_of(gpu: str, bare: str) -> bool:
    spelt = re.sub(r"[-_ ]", "[-_ ]?", re.escape(gpu.lower()).replace("\\-", "-"))
    return re.fullmatch(spelt + _BEHIND + r"(?:[-_.]\d+g[._]\d+gb)?", bare) is not None


@cache
def gpus_in(words: str) -> tuple[str, ...]:
    """The GPUs that a partition's or a feature's name speaks of: `gpu-v100`, `a100_80gb`, `rtx8000|v100`."""
    each_word = (word for word in re.split(r"[^a-zA-Z0-9]+", words) if len(word) > 2 and _MIXED.search(word))
    found = [gpu_of_type(word) for word in (words, *each_word) if len(_bare(word).removeprefix("gpu")) > 2]
    return tuple(dict.fromkeys(each for each in found if each))


def near(name: str) -> tuple[str, ...]:
    """What may have been meant: one letter or two away, and no other word."""
    spelt = {_bare(each): each for each in (*gpu_names(), *_others().values())}
    if not re.search(r"\d", name):
        return ()
    return tuple(spelt[each] for each in difflib.get_close_matches(_bare(name), spelt, 3, 0.72))


@cache
def meant_variable(name: str) -> str | None:
    """Slurm's variable that was meant by one that it does not have: another by one letter, or by two that have changed
    places. None for its own, and for what resembles none of them."""
    known: Sequence[str] = _table()["variables"]["names"]
    if name in known:
        return None
    near = [each for each in known if abs(len(each) - len(name)) <= 1 and _is_a_slip(name, each)]
    return near[0] if len(near) == 1 else None


def _is_a_slip(name: str, meant: str) -> bool:
    first = next((at for at, pair in enumerate(zip(name, meant, strict=False)) if pair[0] != pair[1]), None)
    if first is None:
        return True
    one, other = name[first:], meant[first:]
    swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return swapped or one[1:] == other[1:] or one[1:] == other or one == other[1:]
