"""The words of a command in a job: what starts it on the nodes, and the program behind all wrappers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from nodeworthy.boot.commands.call import beginning
from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.known.slurm import flags, long_name, optional
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace

# Programs that run another one: the options that take a value, and how many words are theirs before it.
_WRAPPERS: Mapping[str, tuple[str, int]] = {
    "time": ("-f -o --format --output", 0),
    "nohup": ("", 0),
    "exec": ("-a", 0),
    "command": ("", 0),
    "env": ("-u -C --unset --chdir", 0),
    "nice": ("-n", 0),
    "ionice": ("-c -n -p", 0),
    "setsid": ("", 0),
    "stdbuf": ("-i -o -e", 0),
    "unbuffer": ("", 0),
    "timeout": ("-s -k --signal --kill-after", 1),
    "taskset": ("", 1),
    "numactl": ("-N -C -m -i -p -l", 0),
    "catchsegv": ("", 0),
    "strace": ("-o -e -p -s", 0),
    "ncu": ("-o -k -c -s --set --section --metrics --export --kernel-name --launch-count --target-processes", 0),
    "rocprof": ("-i -o", 0),
    "xvfb-run": ("-n -s -e -f", 0),
    "sudo": ("-u -g", 0),
}
# The same with a word of their own first: `conda run`, `apptainer exec IMAGE`.
_RUNNERS: Mapping[tuple[str, str], tuple[str, int]] = {
    ("conda", "run"): ("-n -p --name --prefix --cwd", 0),
    ("mamba", "run"): ("-n -p --name --prefix --cwd", 0),
    ("micromamba", "run"): ("-n -p -r --name --prefix --cwd", 0),
    ("poetry", "run"): ("-C --directory -P --project", 0),
    ("pipenv", "run"): ("", 0),
    ("pdm", "run"): ("-p --project --venv", 0),
    ("pixi", "run"): ("-e --environment --manifest-path", 0),
    ("hatch", "run"): ("", 0),
    ("coverage", "run"): ("--rcfile --source", 0),
    ("nsys", "profile"): (
        "-o -t -s -w -f -c -x -e --output --trace --sample --wait --force-overwrite --capture-range",
        0,
    ),
    ("uv", "run"): (
        "-p --python --with --with-editable --with-requirements --extra --group --project --directory --env-file "
        "--package --index --index-url --no-group --only-group --cache-dir",
        0,
    ),
    **{
        (program, "exec"): (
            "-B --bind --env --env-file -H --home --pwd -W --workdir --overlay -S --scratch --mount --app --hostname "
            "--fakeroot-path --security --network",
            1,
        )
        for program in ("apptainer", "singularity")
    },
}
_CONTAINERS = ("apptainer", "singularity", "shifter", "docker", "podman", "enroot", "charliecloud", "ch-run")
_MPI = ("mpirun", "mpiexec", "orterun", "mpiexec.hydra", "prun", "jsrun", "aprun", "horovodrun")
_ELSEWHERE = ("ssh", "pdsh", "clush", "parallel", "pssh", "parallel-ssh")
_MPI_VALUES = (
    "-n -np --np -N -npernode --npernode --map-by -map-by --bind-to -bind-to -x -H --host -hosts -ppn -hostfile "
    "--hostfile -machinefile --machinefile -f --rank-by -rf --mca:2 -mca:2 --prefix -wdir --wdir -env:2 -genv:2 "
    "-genvlist -c"
)


# Behind a variable that is not known: what is started, and by what name the variable may hold a container's command.
_LAUNCHES = pattern(r"python(?:\d(?:\.\d+)?)?|torchrun|accelerate|deepspeed|vllm")
_MAY_CONTAIN = pattern(r"\$.*(?:apptainer|singularity|container|image|sif|docker|podman|enroot|exec)", re.IGNORECASE)
_FARTHEST = 8
# Pyxis' options of srun.
_OF_A_CONTAINER = frozenset({"container_image", "container_name"})


@dataclass(frozen=True, slots=True)
class Step:
    """What starts it: srun, MPI's own, ssh."""

    program: str
    options: Mapping[str, Text] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Peeled:
    words: tuple[Text, ...]
    environment: Mapping[str, Text]
    step: Step | None = None
    # The wrappers that were taken off, outermost first.
    wrappers: tuple[str, ...] = ()
    # `timeout 3500 …`, with its own words.
    timeout: tuple[Text, ...] = ()

    @property
    def program(self) -> str:
        """The program's name, whatever folder it is in; empty where that is not known."""
        first = self.words[0] if self.words else EMPTY
        last = first.pieces[-1] if first.pieces else ""
        if not isinstance(last, str) or (first.holes and "/" not in last):
            return ""
        return last.rsplit("/", 1)[-1]

    @property
    def in_container(self) -> bool:
        inside = any(each in _CONTAINERS or _MAY_CONTAIN.search(each) for each in self.wrappers)
        return inside or (self.step is not None and not _OF_A_CONTAINER.isdisjoint(self.step.options))


def peel_words(words: Sequence[Text], environment: Mapping[str, Text]) -> Peeled:
    """Takes off what only runs another program, as far as it is known."""
    found = Peeled(tuple(words), environment)
    while found.words:
        inner = _without_one(found)
        if inner is None:
            break
        found = inner
    return found


def _without_one(found: Peeled) -> Peeled | None:
    program, rest = found.program, found.words[1:]
    if program == "srun":
        options, behind = options_of(rest, flags("srun") | optional(), short=True)
        return _inner(found, behind, program, step=Step(program, options))
    if program in _MPI:
        return _inner(found, _behind(rest, _MPI_VALUES, 0), program, step=Step(program))
    if program in _ELSEWHERE and found.step is None:
        return _inner(found, _behind(rest, "-o -p -i -l -w -u -F", 1), program, step=Step(program))
    if program in _WRAPPERS:
        takes, own = _WRAPPERS[program]
        inner = _inner(found, _behind(rest, takes, own), program)
        return replace(inner, timeout=rest[: len(rest) - len(inner.words)]) if program == "timeout" else inner
    second = rest[0].known if rest else None
    known = _RUNNERS.get((program, second or ""))
    if known is not None:
        return _inner(found, _behind(rest[1:], *known), program)
    if not program and found.words[0].known is None:
        return _behind_a_variable(found)
    name, equals, value = beginning(found.words[0]).partition("=")
    if equals and name.isidentifier() and found.wrappers:
        held = Text.of(value, *found.words[0].pieces[1:])
        return replace(found, words=rest, environment={**found.environment, name: held})
    return None


def _behind_a_variable(found: Peeled) -> Peeled | None:
    """`$IN_IMAGE python train.py`: whatever stands in it, it runs what stands behind it."""
    for index, word in enumerate(found.words[1:_FARTHEST], start=1):
        if _LAUNCHES.fullmatch(word.string.rsplit("/", 1)[-1]):
            return _inner(found, found.words[index:], found.words[0].shown())
    return None


def _inner(found: Peeled, words: Sequence[Text], wrapper: str, step: Step | None = None) -> Peeled:
    return replace(found, words=tuple(words), wrappers=(*found.wrappers, wrapper), step=step or found.step)


def _behind(words: Sequence[Text], takes: str, own: int) -> Sequence[Text]:
    """What stands behind the wrapper's options and its own words."""
    values = {name: int(count or 1) for name, _, count in (each.partition(":") for each in takes.split())}
    index = 0
    while index < len(words):
        word = beginning(words[index])
        if words[index].known == "--":
            return words[index + 1 + own :]
        if word.startswith("-") and len(word) > 1:
            index += 1 + (values.get(word, 0) if words[index].known is not None else 0)
        elif own:
            own -= 1
            index += 1
        else:
            break
    return words[index:]


def options_of(
    words: Sequence[Text], alone: frozenset[str], *, short: bool = False
) -> tuple[dict[str, Text], Sequence[Text]]:
    """The options up to the first word that is none: by their long names, with `_`; and what stands behind them."""
    options: dict[str, Text] = {}
    index = 0
    while index < len(words):
        begins = beginning(words[index])
        if words[index].known == "--":
            return options, words[index + 1 :]
        if not begins.startswith("-") or begins == "-":
            break
        index += 1
        name, value = _option_and_value(words[index - 1], begins, short=short)
        if value is None and name not in alone and name.replace("_", "-") not in alone and index < len(words):
            value = words[index]
            index += 1
        options[name.replace("-", "_")] = value if value is not None else EMPTY
    return options, words[index:]


def _option_and_value(word: Text, begins: str, *, short: bool) -> tuple[str, Text | None]:
    name, equals, value = begins.lstrip("-").partition("=")
    if short and not begins.startswith("--"):
        behind = Text.of(begins[2:].removeprefix("="), *word.pieces[1:])
        return long_name(begins[1]) or begins[1], behind or None
    if equals:
        return name.replace("-", "_"), Text.of(value, *word.pieces[1:])
    return name.replace("-", "_"), None
