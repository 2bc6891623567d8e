"""The doors through which an input comes in, and what must not come out of any of them."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from nodeworthy.cli import main
from tests.case_files import whole
from tests.fuzz.inputs import Input

FORMATS = ("json", "sarif", "junit", "github", "markdown", "html")
_COMMAND = re.compile(
    r"(?im)^[^\S\n]*::(?:add-mask|add-path|debug|echo|endgroup|error|group|notice|save-state|set-env|set-output|stop-commands|warning)\b"
)
_ANYWHERE = re.compile(r"##\w*\[")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]")
# The report is made of commands; these are its own.
_OWN = re.compile(r"(?m)^::(?:error|warning|notice) (?=[^\n]*::)")
_CODES = (0, 1, 2, 3)

Door = Callable[[Input], Iterator[str]]


def by_command(case: Input) -> Iterator[str]:
    verb, *named = case.command
    also = [each for form in FORMATS for each in ("--also", f"{form}=out.{form}")]
    extra = ["--show-unknown", "--show-passed", *also] + (["--no-cache"] if verb == "check" else [])
    yield from _ran(verb, *named, *extra)
    for form in FORMATS:
        file = Path(f"out.{form}")
        if file.exists():
            yield from _said(form, file.read_text(encoding="utf-8", errors="surrogatepass"))
    if verb == "diagnose":
        yield from _ran(verb, *named, "--format", "brief")


def by_boot(case: Input) -> Iterator[str]:
    for form in ("text", "json"):
        yield from _ran("boot", case.changed, "--format", form)


def by_editor(case: Input) -> Iterator[str]:
    from nodeworthy.lsp.checking import Workspace, check_text

    found = check_text(Path(case.changed).absolute(), case.files[case.changed].decode("utf-8", "replace"), Workspace())
    for each in found.findings:
        if each.rule == "rule-crashed":
            yield f"a rule crashed in the editor: {each.message}"


def by_a_nodes_answer(case: Input) -> Iterator[str]:
    """The changed file is what one part says; it is also the stream itself."""
    from nodeworthy.collect.node.asked import AskedHost
    from nodeworthy.collect.node.collector import scene
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.node.recording import Recording, load, without_secrets
    from nodeworthy.collect.node.script import Part, Unbelievable, parts
    from nodeworthy.engine import judge
    from nodeworthy.rules import catalogue, rule

    said = case.files[case.changed].decode("utf-8", "replace")
    name = ("dump", "units", "os", "file /etc/fstab", "process 9 kubelet", "mounts", "log", "nft")[len(said) % 8]
    framed = f"{said}\n@@n begin 1.00 {name}\n{said}\n@@n end 1.50 0\n"
    try:
        heard = without_secrets(parts("@@n", framed, said))
    except Unbelievable:
        return
    real = load(whole("clock-right/good-node-chrony") / "node.json")
    kept = tuple(each for each in real.parts if each.name != name)
    recording = Recording("ssh://h", (*kept, *heard, Part(name, 0, 0.1, said, said[:500])))
    for each in judge([scene(AskedHost("ssh://h", recording), Declared(None))], catalogue(), rule("rule-crashed")):
        if each.crashed:
            yield f"a rule crashed: {each.findings[0].message}"


DOORS: dict[str, Door] = {
    "command": by_command,
    "boot": by_boot,
    "editor": by_editor,
    "answer": by_a_nodes_answer,
}


def _ran(*arguments: str) -> Iterator[str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    told = " ".join(arguments[:4])
    if code not in _CODES:
        yield f"{told} ended with {code}"
    if "fault of nodeworthy's own" in err.getvalue():
        yield f"{told} crashed: {err.getvalue()}"
    yield from _said("err", err.getvalue())
    if "json" not in arguments:
        yield from _said("text", out.getvalue())
    elif out.getvalue():
        json.loads(out.getvalue())
        yield from _said("json", out.getvalue())


def _said(form: str, text: str) -> Iterator[str]:
    if form == "json" and '"rule-crashed"' in text:
        data = json.loads(text)
        yield from (
            f"a rule crashed: {each['message']}" for each in data.get("findings", ()) if each["rule"] == "rule-crashed"
        )
    if form == "sarif":
        json.loads(text)
    if form == "junit":
        ElementTree.fromstring(text)
    text = _OWN.sub("", text) if form == "github" else text
    for what, pattern in (
        ("a job's log obeys", _COMMAND),
        ("a job's log obeys", _ANYWHERE),
        ("a terminal obeys", _CONTROL),
    ):
        found = pattern.search(text)
        if found is not None:
            around = text[max(found.start() - 60, 0) : found.end() + 40]
            yield f"{what} the report as {form}: {around!r}"


def through(name: str, case: Input) -> list[str]:
    """What is wrong with what came of it, in the folder of the input."""
    sys.setrecursionlimit(1000)
    return list(DOORS[name](case))
