"""What sbatch refuses of a job's own lines, however it is submitted: it says so at once, and there is no job.

A plugin of a site's (SPANK) may bring options of its own: a name is wrong only where it is plain which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.lines import (
    MARK,
    is_command,
    is_filled_in,
    is_template,
    option_in,
    own_lines,
    split,
)
from nodeworthy.facts.slurm.request import SlurmRequest
from nodeworthy.known.slurm import (
    exclusions,
    flags,
    gpu_of_type,
    long_name,
    option_meant,
    options_of_sbatch,
    options_of_srun_alone,
)
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Beside these a word may be anything: a placeholder, a comment in other words than Slurm's, a backslash that its parser
# reads in its own way.
_PLACEHOLDER = pattern(r"[<>\\…`]|\$\(|\.\.\.|\[[A-Za-z ]+\]|\bX{2,}\b")
# What a letter's own option does not take for its value; others do (`-output=x` writes a log called utput=x).
_PICKY = "acgjmnpt"
# `--wait` of srun's takes a number, and sbatch's takes none.
_TAKES_NONE = frozenset({"wait"})
# What begins with a digit and is none of these is refused; of words nobody knows who fills them in.
_A_NUMBER = pattern(r"[0-9]+")
_TAKEN: Mapping[str, re.Pattern[str]] = {
    "time": pattern(r"[0-9]+(?:-[0-9]*(?::[0-9]+){0,2}|(?::[0-9]+){0,2})"),
    "mem": pattern(r"(?i)[0-9]+(?:[kmgtp]?b?)"),
    "nodes": pattern(r"(?i)[0-9]+[km]?(?:-[0-9]+[km]?)?(?:[,:][0-9].*)?"),
    "signal": pattern(r"[0-9]+(?:@[0-9]+)?"),
    **dict.fromkeys(("ntasks", "cpus-per-task", "ntasks-per-node", "cpus-per-gpu", "threads-per-core"), _A_NUMBER),
}
_AS = {"time-min": "time", "mem-per-cpu": "mem", "mem-per-gpu": "mem"}
# As somebody writes a value who thinks of another option, or of the time in words.
_NOT_TAKEN: Mapping[str, re.Pattern[str]] = {
    "signal": pattern(r"(?:[BR]+:)?(?i:[a-z]{3,}[0-9]?)(?:@[0-9]+[a-z:.][\w:.]*|[:,][0-9]+)|(?:[BR]:){2}\w.*|@[0-9]+"),
    "exclusive": pattern(r"(?i)true|false|yes|no|[01]"),
    # Slurm knows GPUs by the name gpu alone, written so.
    "gres": pattern(
        r"gpu::[0-9]+|gpu:[0-9]+:[A-Za-z]\w*|gpu:(?:\w+:)?[0-9]+;|gpu:[0-9]+:|gpu=\w+|[0-9]+|"
        r"(?!gpu(?:\W|$))(?i:gpus?)(?::[A-Za-z]\w*)?(?::[1-9][0-9]*)?"
    ),
    "gpus": pattern(r"[0-9]+:[A-Za-z]\w*|[0-9]+;"),
    "cpus-per-task": pattern(r"0+"),
    # In a list sbatch passes over what it does not know, as long as it knows another one.
    "mail-type": pattern(r"(?i)abort|cancel|completed|error|failed|start"),
}
# As sbatch, or the controller, says it of what stands behind a letter and begins with `=`.
_WITH_ITS_SIGN = {
    "N": '"{value}" is not a valid node count',
    "n": 'Invalid numeric value "{value}" for --ntasks.',
    "c": 'Invalid numeric value "{value}" for --cpus-per-task.',
    "t": "Invalid --time specification",
    "p": "Batch job submission failed: Invalid partition name specified",
    "C": "Batch job submission failed: Invalid feature specification",
}
_SHOULD = {
    "time": "minutes, hours:minutes:seconds, or days-hours:minutes:seconds",
    "mem": "a whole number with K, M, G or T behind it: --mem=64G",
    "signal": "--signal=USR1@300, in seconds",
    "exclusive": "--exclusive, and nothing behind it",
    "gres": "--gres=gpu:TYPE:COUNT",
    "gpus": "TYPE:COUNT, or a number",
    "mail-type": "BEGIN, END, FAIL or ALL",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """One word of a line, and what there should be instead."""

    place: Place
    written: str
    should: str
    # As sbatch says it.
    says: str


def refusals(job: SlurmJob) -> Iterator[Refusal]:
    """What sbatch refuses, in the order of the lines; nothing of a job that may be filled in before Slurm sees it."""
    if job.filled or is_template(job.text) or "\r\n" in job.text:
        return
    for number, line in own_lines(job.text.splitlines(), job.place.line or 1):
        if is_command(line):
            break
        if line.startswith(MARK) and not is_filled_in(line) and not _PLACEHOLDER.search(line):
            yield from _of_line(line[len(MARK) :], Place(job.place.path, number, len(MARK) + 1))
    for request in job.requests:
        yield from _beside_each_other(job, request)


def _of_line(line: str, begins: Place) -> Iterator[Refusal]:
    words = list(split(line))
    if [word for word, _ in words] in (["hetjob"], ["packjob"]):
        return
    index = 0
    while index < len(words):
        word, column = words[index]
        place = Place(begins.path, begins.line, (begins.column or 1) + column)
        if not word.startswith("-"):
            yield _no_option(place, word, line)
            return
        told = _of_name(place, word) or _of_letter(place, word)
        if told is not None:
            yield told
            return
        name, value, takes = _resolved(word)
        if name not in options_of_sbatch():
            return
        index += 1
        written = word
        if value is None and takes and name not in _TAKES_NONE:
            if index == len(words):
                return
            value, written = words[index][0], f"{word} {words[index][0]}"
            index += 1
        yield from _of_value(place, name, value or "", written)


def _resolved(word: str) -> tuple[str, str | None, bool]:
    """The option that is meant by the beginning of its name, too."""
    name, value, takes = option_in(word)
    begun = [each for each in options_of_sbatch() if each.startswith(name)] if word.startswith("--") else []
    if name in options_of_sbatch() or len(begun) != 1:
        return name, value, takes
    return option_in(f"--{begun[0]}{'' if value is None else '='}{value or ''}")


def _no_option(place: Place, word: str, line: str) -> Refusal:
    before = line[: max(0, line.find(word))].rstrip()
    should = "the value in quotes or without the blank, a comment behind a #" if before else "an option: --NAME=VALUE"
    return Refusal(place, f"{MARK}{line.rstrip()}", should, f"Invalid directive found in batch script: {word}")


def _of_name(place: Place, word: str) -> Refusal | None:
    if not word.startswith("--"):
        return _one_dash_too_few(place, word)
    name, equals, _ = word[2:].partition("=")
    if equals and name in flags("srun") & options_of_sbatch():
        return Refusal(place, word, f"--{name}", f"option '--{name}' doesn't allow an argument")
    if name in options_of_sbatch() or not re.fullmatch(r"[a-z][\w-]*", name):
        return None
    if name.replace("_", "-") in options_of_srun_alone():
        return Refusal(place, word, f"srun {word}, where the step is started", f"unrecognized option '--{name}'")
    begun = [each for each in options_of_sbatch() if each.startswith(name)]
    meant = option_meant(name)
    if len(begun) == 1 or not meant:
        return None
    says = f"option '--{name}' is ambiguous" if begun else f"unrecognized option '--{name}'"
    return Refusal(place, word, f"--{meant}", says)


def _one_dash_too_few(place: Place, word: str) -> Refusal | None:
    """`-gres=gpu:1`, `-time=1:00:00`: an option of one letter, and the rest is its value."""
    name = word[1:].partition("=")[0]
    if len(name) < len("mem") or name[0] not in _PICKY or name not in options_of_sbatch():
        return None
    letter = long_name(name[0])
    says = f"{word} is -{name[0]} with {word[2:]!r}" if letter else f"invalid option -- '{name[0]}'"
    return Refusal(place, word, f"-{word}", says)


def _of_letter(place: Place, word: str) -> Refusal | None:
    """`-N=2`, `-t=1:00:00`: what stands behind the letter is the value, with its `=`."""
    letter, value = word[1:2], word[2:]
    says = _WITH_ITS_SIGN.get(letter)
    if says is None or not value.startswith("=") or len(value) == 1:
        return None
    return Refusal(place, word, f"-{letter} {value[1:]}, or --{long_name(letter)}{value}", says.format(value=value))


def _of_value(place: Place, name: str, value: str, written: str) -> Iterator[Refusal]:
    kind = _AS.get(name, "gpus" if name.startswith("gpus") else name)
    taken, not_taken = _TAKEN.get(kind), _NOT_TAKEN.get(kind)
    is_wrong = taken is not None and value[:1].isdigit() and not taken.fullmatch(value)
    is_wrong = is_wrong or (kind == "gres" and gpu_of_type(value.partition(":")[0]) is not None)
    if is_wrong or (not_taken is not None and not_taken.fullmatch(value)):
        said = "generic resource (gres)" if kind in ("gres", "gpus") else f"--{name}"
        yield Refusal(place, written, _SHOULD.get(kind, "a whole number"), f"Invalid {said} specification")


def _beside_each_other(job: SlurmJob, request: SlurmRequest) -> Iterator[Refusal]:
    alive = {each.name: each for each in request.options if not each.dead and each not in job.given}
    for name, option in alive.items():
        others = [alive[each] for each in exclusions().get(name, ()) if each in alive]
        later = [
            each for each in others if (each.place.line, each.place.column) < (option.place.line, option.place.column)
        ]
        if later:
            says = f"--{later[0].name} and --{name} are mutually exclusive"
            yield Refusal(option.place, option.written, f"one of the two: {later[0].written} stands above", says)
            return
