"""Says what is known of WHAT: a rule's id, a distribution, a GPU, an instance type, a release of the GPU operator,
or words from a log. `-` reads a whole log: kubectl logs POD | nodeworthy explain -

Exit codes: 0 recognised, 2 one word that is no id of ours, 3 a text or a log with nothing known in it.
"""

from __future__ import annotations

import argparse
import codecs
import json
import sys
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from nodeworthy.commands import settled

if TYPE_CHECKING:
    from nodeworthy.known.evidence import Found
    from nodeworthy.report.explained import Explanation

STDIN = "-"
_CHUNK = 1 << 20
# How many of them, from the end, are asked what comes nearest where nothing is known.
_KEPT = 2


class Options(settled.Options):
    what: list[str]
    format: str


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="+", metavar="WHAT", help="an id, a name, words from a log; - is standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how it is written")
    settled.configure(parser)


def run(options: Options) -> int:
    what = " ".join(options.what).strip()
    ends: deque[bytes] = deque(maxlen=_KEPT)
    explanations = _of_log(ends) if what == STDIN else _of_words(what) or _own(options, what)
    if not explanations:
        return _nothing_known(what, b"".join(ends) if what == STDIN else what.encode("utf-8", "replace"))
    from nodeworthy.report.printable import escape_json, printable

    if options.format == "json":
        from nodeworthy.report.explained import SCHEMA

        data = {"schema": SCHEMA, "known": [each.as_data() for each in explanations]}
        print(escape_json(json.dumps(data, indent=2, ensure_ascii=False)))
    else:
        from nodeworthy.report.explained import text

        sys.stdout.write(printable(text(explanations)))
    return 0


def _of_log(ends: deque[bytes]) -> list[Explanation]:
    """`ends` is given how the log ends."""
    from nodeworthy.known.evidence import in_stream

    return _explained(in_stream(_kept(_chunks(sys.stdin.buffer), ends)))


def _kept(chunks: Iterator[bytes], ends: deque[bytes]) -> Iterator[bytes]:
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


def _explained(found: list[Found]) -> list[Explanation]:
    from nodeworthy.report.explained import of_evidence
    from nodeworthy.rules import catalogue

    rules = {each.id: each for each in catalogue()}
    return [of_evidence(each, rules.get(each.evidence.rule or "")) for each in found]


def _of_id(what: str) -> list[Explanation]:
    from nodeworthy.known import containerd, gpus, instances, releases
    from nodeworthy.report.explained import of_distribution, of_gpu, of_instance_type, of_release

    rule = _rule(what)
    if rule is not None:
        return [rule]
    if what.lower() in containerd.distributions():
        return of_distribution(what.lower())
    gpu = gpus.gpu_named(what)
    if gpu is not None:
        return [of_gpu(gpu)]
    if instances.exists(what.lower()):
        return [of_instance_type(what.lower(), instances.gpus_of(what.lower()))]
    release = releases.release_of(what.removeprefix("gpu-operator").strip("-: "))
    return [of_release(what, release)] if release is not None else _of_entry(what)


def _of_entry(what: str) -> list[Explanation]:
    """By its id, as `nearest` and the documentation name it."""
    from nodeworthy.known.evidence import all_evidence
    from nodeworthy.report.explained import of_entry
    from nodeworthy.rules import catalogue

    found = next((each for each in all_evidence() if each.id == what.lower()), None)
    if found is None:
        return []
    return [of_entry(found, next((each for each in catalogue() if each.id == found.rule), None))]


def _rule(what: str) -> Explanation | None:
    from nodeworthy.collect.moments import moments_of
    from nodeworthy.report.explained import of_rule
    from nodeworthy.rules import catalogue

    found = next((each for each in catalogue() if each.id == what.lower()), None)
    return of_rule(found, moments_of(found)) if found is not None else None


def _own(options: Options, what: str) -> list[Explanation]:
    """Only where nothing of ours is meant: what lies in that folder is run."""
    if len(what.split()) != 1:
        return []
    from nodeworthy.collect.moments import moments_of
    from nodeworthy.report.explained import of_rule

    own = settled.own_here(options)
    found = own.rule(what.lower()) if own is not None else None
    return [of_rule(found, moments_of(found))] if found is not None else []


def _nothing_known(what: str, text: bytes) -> int:
    if what != STDIN and len(what.split()) <= 1:
        print(f"nodeworthy explain: {what!r} is nothing we know{_meant(what)}", file=sys.stderr)
        return 2
    where = "this log" if what == STDIN else "these words"
    print(f"nodeworthy explain: nothing in {where} is evidence that we know", file=sys.stderr)
    from nodeworthy.known.evidence import nearest

    for evidence, words in nearest(text):
        print(f"nearest: {evidence.id}: {words}", file=sys.stderr)
    return 3


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
    return (
        ": neither a rule (`nodeworthy rules`), distribution, GPU, instance type, operator release, nor words of a log"
    )
