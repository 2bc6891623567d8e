"""What a pipeline runs, as the shell script that it comes down to: each command on its own line.

GitHub's workflows and actions, GitLab's jobs, steps of Azure and CircleCI, a Taskfile: only what has a shell run
something is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_COMMANDS = frozenset("run script before_script after_script bash cmds cmd command commands".split())
_VARIABLES = frozenset(("env", "variables", "vars"))
_RUNS = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:run|script|before_script|after_script|bash|cmds?|commands?)[ \t]*:",
    words=(b"run", b"script", b"bash", b"cmd", b"command"),
    in_a_line=True,
)
# A Job of Kubernetes and a workflow of Argo's have commands, too; those run in a container.
_OBJECT = pattern(rb"(?m)^(?:apiVersion|kind)[ \t]*:", words=(b"apiVersion", b"kind"), in_a_line=True)
_EXPRESSION = pattern(r"\$?\{\{[^\w{}]*+(\w[\w.-]*+)[^{}]*+\}\}")
_NO_WORD = pattern(r"[^\w.@-]+")
_BY_SSH = "ssh-action"
_NAME = pattern(r"[A-Za-z_]\w*")


def is_pipeline(data: bytes, name: str) -> bool:
    return name.endswith((".yml", ".yaml")) and _RUNS.search(data) is not None and _OBJECT.search(data) is None


def as_shell(data: bytes) -> bytes:
    """A pipeline's commands as a script of as many lines. Empty for what is no YAML."""
    text = data.decode("utf-8", "replace")
    rows: dict[int, list[str]] = {}
    try:
        for document in read_all(text, Place()):
            for line, command in _commands(document):
                # In the first line it says that it is shell.
                rows.setdefault(max(line, 2), []).append(command)
    except NotYaml:
        return b""
    told = ("; ".join(rows.get(line, ())) for line in range(2, max(rows, default=0) + 1))
    # Whoever runs them stops at the first that fails, but Azure.
    return "\n".join(["#!/bin/sh -e", *told, ""]).encode()


def _commands(tree: Tree) -> Iterator[tuple[int, str]]:
    """The commands in their order, each with its line."""
    for each in tree.sequence:
        yield from _commands(each)
    for name, child in tree.mapping.items():
        if name in _VARIABLES:
            yield from _set(child)
        elif name in _COMMANDS:
            yield from _run(child)
        elif name == "with" and _BY_SSH in tree.get("uses").string:
            yield from _sent(child)
            continue
        if child.is_mapping or child.is_sequence:
            yield from _commands(child)


def _set(variables: Tree) -> Iterator[tuple[int, str]]:
    for name, child in variables.mapping.items():
        said = child.text if child.text is not None else child.written
        if said and _NAME.fullmatch(name) and "\n" not in said and '"' not in said and "\\" not in said:
            yield child.place.row, f'{name}="{_with_holes(said)}"'


def _run(given: Tree) -> Iterator[tuple[int, str]]:
    """A text, or a list of them; each is a shell of its own."""
    for each in given.sequence or (given,):
        if not each.text:
            continue
        lines = [_with_holes(line) for line in each.text.rstrip("\n").split("\n")]
        first = each.place.row
        if each.inside is None or each.inside.line is None:
            yield first, f"( {_on_one_line(lines)} )"
            continue
        yield first, "("
        yield from enumerate(lines, each.inside.line)
        yield each.inside.line + len(lines), ")"


def _sent(given: Tree) -> Iterator[tuple[int, str]]:
    """What an action of GitHub's sends to a machine by ssh; it stops there at a failure where it is told to."""
    script = given.get("script")
    if script.text is None or script.inside is None or script.inside.line is None:
        return
    first, lines = script.inside.line, script.text.rstrip("\n").split("\n")
    host = _NO_WORD.sub("_", given.get("host").string) or "host"
    yield first - 1, f"ssh {host} '{'set -e' if given.get('script_stop').value is True else ''}"
    yield from enumerate((_with_holes(line).replace("'", "'\\''") for line in lines), first)
    yield first + len(lines), "'"


def _on_one_line(lines: Sequence[str]) -> str:
    return "; ".join(line for line in lines if line.strip())


def _with_holes(text: str) -> str:
    """What the pipeline fills in, as one word of the shell: `{{inputs.driver}}`."""
    return _EXPRESSION.sub(lambda found: f"{{{{{found[1]}}}}}", text)
