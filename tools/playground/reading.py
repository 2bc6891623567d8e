"""What the playground does with what was pasted: the same commands that one would type, in a folder of its own.

It runs in the browser, and decides nothing but which of them to run: what a file is, and what is wrong in it, say
`nodeworthy check`, `boot` and `explain` themselves.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import os
import shlex
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

# In a browser no timer gives up what computes for too long: what is longer is left to the program itself.
LONGEST = 200_000
LONGEST_LINK = 32_000
FLEET = "Pulumi.pasted.yaml"
SECRETS = "no-secret-in-plain-sight"


class Refused(Exception):
    """Why it is not done, in a sentence."""


@dataclass(frozen=True)
class Answer:
    """One command, and what it wrote."""

    command: str
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Pasted:
    text: str
    name: str
    fleet: str


def read(text: str, name: str, fleet: str = "") -> str:
    """The answers, by what they are for, as JSON."""
    try:
        pasted = _pasted(text, name, fleet)
    except Refused as why:
        return json.dumps({"refused": str(why)})
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        return json.dumps(_answers(pasted))


def _pasted(text: str, name: str, fleet: str) -> Pasted:
    if not text.strip():
        raise Refused("There is nothing to read: paste a file, or take an example.")
    if max(len(text), len(fleet)) > LONGEST:
        raise Refused(
            f"This is longer than the {LONGEST:,} characters that this page reads; "
            f"the program itself reads it: nodeworthy check {shlex.quote(name or 'FILE')}"
        )
    last = PurePosixPath(name.strip() or "pasted").name
    if last in ("", "..", FLEET) or last.startswith("-") or "\x00" in last or len(last) > 200:
        raise Refused(f"{name!r} can't be a file's name here: give one such as values.yaml")
    return Pasted(text, last, fleet)


def _answers(pasted: Pasted) -> dict[str, object]:
    from nodeworthy.collect.source.boot_scripts import is_boot_script

    data = pasted.text.encode("utf-8", "surrogatepass")
    Path(pasted.name).write_bytes(data)
    options = _fleet_options(pasted)
    timeline = [_run("boot", pasted.name, *options)] if is_boot_script(data, pasted.name) else []
    findings = _run("check", pasted.name, *options, "--no-cache")
    rules = _rules_found(pasted.name, options)
    # What is no file that check knows may be a log.
    known = [_run("explain", pasted.name)] if findings.code == 2 else []
    return {
        "timeline": [asdict(each) for each in timeline],
        "findings": [] if known and known[0].code == 0 else [asdict(findings)],
        "explanation": [asdict(each) for each in [*known, *(_run("explain", rule) for rule in rules)]],
        "rules": rules,
    }


def _fleet_options(pasted: Pasted) -> list[str]:
    if not pasted.fleet.strip():
        return []
    Path(FLEET).write_text(pasted.fleet, encoding="utf-8", errors="surrogatepass")
    return ["--fleet", FLEET]


def _rules_found(name: str, options: list[str]) -> list[str]:
    """Those that have something to say, each once, in the order of what they say."""
    told = _run("check", name, *options, "--no-cache", "--format", "json").out
    if not told.startswith("{"):
        return []
    return list(dict.fromkeys(each["rule"] for each in json.loads(told)["findings"]))


def _run(*words: str) -> Answer:
    from nodeworthy.cli import main

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 2
    shown = [each for each in words if each != "--no-cache"]
    return Answer(shlex.join(["nodeworthy", *shown]), code, out.getvalue(), err.getvalue())


def link(text: str, name: str, fleet: str = "") -> str:
    """What a link to this page would carry behind its #, as JSON: never where a secret would go with it."""
    try:
        pasted = _pasted(text, name, fleet)
        _refuse_secrets(pasted)
        packed = zlib.compress(json.dumps([pasted.text, pasted.name, pasted.fleet]).encode(), 9)
        fragment = base64.urlsafe_b64encode(packed).decode().rstrip("=")
        if len(fragment) > LONGEST_LINK:
            raise Refused(f"This would make a link of {len(fragment):,} characters, which is more than links bear.")
    except Refused as why:
        return json.dumps({"refused": str(why)})
    return json.dumps({"fragment": fragment})


def _refuse_secrets(pasted: Pasted) -> None:
    lines = sorted({*_hidden_lines(pasted.text), *_lines_with_findings(pasted)})
    if lines:
        told = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"
        raise Refused(f"No link is made: {told} would carry a secret to whoever gets it. Take it out first.")
    if list(_hidden_lines(pasted.fleet)):
        raise Refused("No link is made: the fleet holds a secret. Take it out first.")


def _hidden_lines(text: str) -> Iterator[int]:
    """What no log and no report of nodeworthy would show."""
    from nodeworthy.redaction import hidden_lines

    shown = hidden_lines(text)
    if shown == text:
        return
    pairs = list(zip(text.split("\n"), shown.split("\n"), strict=False))
    different = [number for number, (was, now) in enumerate(pairs, 1) if was != now]
    yield from different or [1]


def _lines_with_findings(pasted: Pasted) -> Iterator[int]:
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path(pasted.name).write_text(pasted.text, encoding="utf-8", errors="surrogatepass")
        told = _run("check", pasted.name, "--no-cache", "--rule", SECRETS, "--ignore-suppressions", "--format", "json")
    if told.out.startswith("{"):
        for each in json.loads(told.out)["findings"]:
            if each["verdict"] != "error":
                yield each["where"].get("line") or 1


def linked(fragment: str) -> str:
    """What a link carries: text, name and fleet, as JSON; null where it is none of ours, or was cut off."""
    try:
        packed = base64.urlsafe_b64decode(fragment + "=" * (-len(fragment) % 4))
        # Somebody else's: no more of it is unpacked than this page would read.
        data = zlib.decompressobj().decompress(packed, 10 * LONGEST)
        given = json.loads(data)
        text, name, fleet = given
        return json.dumps([str(text), str(name), str(fleet)])
    except (binascii.Error, ValueError, TypeError, zlib.error, UnicodeDecodeError):
        return json.dumps(None)


def begin() -> None:
    """Nobody's settings are here, and nobody's colours."""
    os.environ["NO_COLOR"] = "1"
