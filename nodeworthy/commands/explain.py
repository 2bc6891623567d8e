"""Says what is known of WHAT: a rule's id, a distribution, a GPU, an instance type, a release of the GPU operator,
words from a log, or a log's file. What is a file is read as one; several may be named, and what is piped in is read,
too: kubectl logs POD | nodeworthy explain

Exit codes: 0 recognised, 2 one word that is no id of ours and no file, 3 a text or a log with nothing known in it.
"""

from __future__ import annotations

import argparse
import codecs
import json
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from nodeworthy.commands import settled
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.known.evidence import EvidenceMatch
    from nodeworthy.report.explained import Explanation

STDIN = "-"
_CHUNK = 1 << 20
# How many of them, from the end, are asked what comes nearest where nothing is known.
_KEPT = 2
_LONGEST_NAME = 255
_OF_LOGS = (".log", ".txt", ".out", ".err", ".json", ".yaml")


class Options(settled.Options):
    what: list[str]
    format: str


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="*", metavar="WHAT", help="an id, a name, words from a log, its file; - is standard input"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how it is written")
    settled.configure(parser)


@dataclass(frozen=True)
class _Answer:
    """What is known of one thing that was asked for: an id, some words, or a log. Of a log the end is kept."""

    asked: str
    is_log: bool
    known: Sequence[Explanation]
    end: bytes = b""


def run(options: Options) -> int:
    answers = [_answer(options, each) for each in _questions(options.what)]
    known = [answer for answer in answers if answer.known]
    if known:
        _print(options, known, [answer for answer in answers if answer.is_log])
    codes = [_nothing_known(answer) for answer in answers if not answer.known]
    if known and 2 not in codes:
        return 0
    return max(codes, key=lambda code: code == 2)


def _questions(words: Sequence[str]) -> Sequence[str]:
    """Each file is one, and what is piped in; other words are a line of a log, unless each of them is an id."""
    if not words:
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("name what to explain, or pipe a log in: kubectl logs POD | nodeworthy explain")
        return [STDIN]
    _refuse_a_folder(words)
    logs = list(dict.fromkeys(each for each in words if each == STDIN or _is_file(each)))
    others = [each for each in words if each not in logs]
    together = [" ".join(others).strip()] if others else []
    if len(others) > 1 and all(len(each.split()) == 1 for each in others) and all(map(_of_id, others)):
        together = others if not _of_id(together[0]) else together
    return [*logs, *together]


def _refuse_a_folder(words: Sequence[str]) -> None:
    """Among other words its name is one of them."""
    if len(words) == 1 and 0 < len(words[0]) < _LONGEST_NAME and Path(words[0]).is_dir() and not _of_id(words[0]):
        folder = words[0].rstrip("/") or "/"
        raise InputError(f"{folder} is a folder: name its logs ({folder}/*.log), or `nodeworthy check {folder}`")


def _is_file(word: str) -> bool:
    try:
        return Path(word).exists() and not Path(word).is_dir()
    except (OSError, ValueError):  # far too long for a name, or with a byte that none may have
        return False


def _answer(options: Options, asked: str) -> _Answer:
    if asked != STDIN and not _is_file(asked):
        return _Answer(asked, False, _of_words(asked) or _own(options, asked))
    ends: deque[bytes] = deque(maxlen=_KEPT)
    known = _of_log(sys.stdin.buffer, ends) if asked == STDIN else _of_file(asked, ends)
    return _Answer(asked, True, known, b"".join(ends))


def _of_file(path: str, ends: deque[bytes]) -> list[Explanation]:
    try:
        with Path(path).open("rb") as file:
            return _of_log(file, ends)
    except OSError as problem:
        raise InputError(f"can't read {path}: {problem.strerror}") from None


def _print(options: Options, known: Sequence[_Answer], logs: Sequence[_Answer]) -> None:
    from nodeworthy.report import explained
    from nodeworthy.report.printable import escape_json, on_one_line, printable

    if options.format == "json":
        data = {"schema": explained.SCHEMA, "known": [one for each in known for one in _as_data(each)]}
        print(escape_json(json.dumps(data, indent=2, ensure_ascii=False)))
        return
    blocks = []
    for answer in known:
        heading = f"{on_one_line(answer.asked)}:\n" if answer.is_log and len(logs) > 1 else ""
        blocks.append(f"{heading}{explained.text(answer.known)}")
    sys.stdout.write(printable("\n".join(blocks)))
    sys.stdout.write(f"\nnext: {explained.next_command(known[-1].known)}\n")


def _as_data(answer: _Answer) -> Iterator[dict[str, object]]:
    where = {"in": answer.asked} if answer.is_log and answer.asked != STDIN else {}
    yield from ({**each.as_data(), **where} for each in answer.known)


def _of_log(stream: BinaryIO, ends: deque[bytes]) -> list[Explanation]:
    """`ends` is given how the log ends."""
    from nodeworthy.known.evidence import in_stream

    return _explained(in_stream(_keep_ends(_chunks(stream), ends)))


def _keep_ends(chunks: Iterator[bytes], ends: deque[bytes]) -> Iterator[bytes]:
    for each in chunks:
        ends.append(each)
        yield each


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The log in pieces. What PowerShell piped into a file is UTF-16."""
    piece = stream.read(_CHUNK)
    if not piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        while piece:
            yield piece
            piece = stream.read(_CHUNK)
        return
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while piece:
        yield decoder.decode(piece).encode("utf-8", "replace")
        piece = stream.read(_CHUNK)


def _of_words(what: str) -> list[Explanation]:
    from nodeworthy.known.evidence import in_text

    return _of_id(what) or _explained(in_text(what))


def _explained(found: list[EvidenceMatch]) -> list[Explanation]:
    from nodeworthy.report.explained import explain_evidence
    from nodeworthy.rules import catalogue

    rules = {each.id: each for each in catalogue()}
    return [explain_evidence(each, rules.get(each.evidence.rule or "")) for each in found]


def _of_id(what: str) -> list[Explanation]:
    from nodeworthy.known import containerd, gpus, instances, releases
    from nodeworthy.report.explained import explain_distribution, explain_gpu, explain_instance_type, explain_release

    rule = _rule(what)
    if rule is not None:
        return [rule]
    if what.lower() in containerd.distributions():
        return explain_distribution(what.lower())
    gpu = gpus.gpu_named(what)
    if gpu is not None:
        return [explain_gpu(gpu)]
    if instances.exists(what.lower()):
        return [explain_instance_type(what.lower(), instances.gpus_of(what.lower()))]
    release = releases.release_of(what.removeprefix("gpu-operator").strip("-: "))
    return [explain_release(what, release)] if release is not None else _of_entry(what)


def _of_entry(what: str) -> list[Explanation]:
    """The explanation of an entry by its id, as `nearest` and the documentation name it."""
    from nodeworthy.known.evidence import all_evidence
    from nodeworthy.report.explained import explain_entry
    from nodeworthy.rules import catalogue

    found = next((each for each in all_evidence() if each.id == what.lower()), None)
    if found is None:
        return []
    return [explain_entry(found, next((each for each in catalogue() if each.id == found.rule), None))]


def _rule(what: str) -> Explanation | None:
    from nodeworthy.collect.collected import moments_of
    from nodeworthy.report.explained import explain_rule
    from nodeworthy.rules import catalogue

    found = next((each for each in catalogue() if each.id == what.lower()), None)
    return explain_rule(found, moments_of(found)) if found is not None else None


def _own(options: Options, what: str) -> list[Explanation]:
    """The user's own rules of this name, where nothing of ours is meant: what lies in that folder is run."""
    if len(what.split()) != 1:
        return []
    from nodeworthy.collect.collected import moments_of
    from nodeworthy.report.explained import explain_rule

    own = settled.own_here(options)
    found = own.rule(what.lower()) if own is not None else None
    return [explain_rule(found, moments_of(found))] if found is not None else []


def _nothing_known(answer: _Answer) -> int:
    what = answer.asked
    if answer.is_log and not answer.end.strip():
        told = "standard input is" if what == STDIN else f"{what} is"
        print(
            f"nodeworthy explain: {told} empty: pipe a log in, kubectl logs POD | nodeworthy explain", file=sys.stderr
        )
        return 3
    if not answer.is_log and len(what.split()) <= 1:
        print(f"nodeworthy explain: {what!r} is nothing we know{_meant(what)}", file=sys.stderr)
        return 2
    where = "these words" if not answer.is_log else "this log" if what == STDIN else what
    print(f"nodeworthy explain: nothing in {where} is evidence that we know", file=sys.stderr)
    from nodeworthy.known.evidence import nearest

    for evidence, words in nearest(answer.end if answer.is_log else what.encode("utf-8", "replace")):
        print(f"nearest: {evidence.id}: {words}", file=sys.stderr)
    if answer.is_log:
        reads = (
            f" --from {what}, which reads this table" if _is_table(answer.end) else ", which reads the cluster itself"
        )
        print(f"next: nodeworthy diagnose{reads}", file=sys.stderr)
    return 3


def _is_table(log: bytes) -> bool:
    from nodeworthy.collect.cluster.tables import is_table_of_pods

    return is_table_of_pods(log.decode("utf-8", "replace"))


def _meant(what: str) -> str:
    import difflib

    from nodeworthy.known import containerd, gpus, instances, releases
    from nodeworthy.rules import catalogue

    ids = [each.id for each in catalogue()]
    ids += [*containerd.distributions(), *(each.lower() for each in gpus.gpu_names())]
    ids += [*(each.version for each in releases.releases())]
    near = difflib.get_close_matches(what.lower(), ids, 3) or list(instances.near(what))
    if near:
        return f"; did you mean {' or '.join(near)}?"
    if "/" in what or Path(what).suffix in _OF_LOGS:
        return ", and there is no such file: name one that is there, or pipe a log in"
    return (
        ": neither a rule (`nodeworthy rules`), distribution, GPU, instance type, operator release, words of a log, "
        "nor a file"
    )
