"""What files are that nobody read: their kinds, seen from their names alone, and in how many folders they lie."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePath

from nodeworthy.report.printable import on_one_line

# So many kinds are named.
KINDS = 4
# An ending that is longer tells no kind.
_LONGEST = 16
_BY_ENDING = {
    **dict.fromkeys((".yaml", ".yml"), "YAML file"),
    **dict.fromkeys((".tf", ".tofu"), "Terraform file"),
    **dict.fromkeys((".tpl", ".tmpl", ".tftpl", ".j2"), "template"),
    **dict.fromkeys((".sh", ".bash"), "shell script"),
    **dict.fromkeys((".md", ".markdown"), "Markdown file"),
    **dict.fromkeys((".js", ".mjs", ".cjs"), "JavaScript file"),
    **dict.fromkeys((".ts", ".tsx"), "TypeScript file"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".svg"), "picture"),
    **dict.fromkeys((".gz", ".tgz", ".zip", ".tar", ".xz"), "archive"),
    ".json": "JSON file",
    ".log": "log",
    ".toml": "TOML file",
    ".py": "Python file",
    ".go": "Go file",
    ".rs": "Rust file",
    ".txt": "text file",
    ".hcl": "HCL file",
    ".tfvars": "file of Terraform variables",
}
_OF_A_CHART = "Chart.yaml"
_IN_A_CHART = (".yaml", ".yml", ".tpl", ".txt")


def by_ending(paths: Iterable[str]) -> dict[str, int]:
    """`.md` or, without an ending, `Makefile`; the most frequent first."""
    counted = Counter(_ending(PurePath(each)) for each in paths)
    return dict(sorted(counted.items(), key=lambda each: (-each[1], each[0])))


def _ending(path: PurePath) -> str:
    kind = path.suffix or path.name
    return on_one_line(kind) if len(kind) <= _LONGEST else "of other endings"


def in_words(paths: Sequence[str]) -> str:
    """`3 Helm templates in 2 folders, 1 Makefile`: the most frequent kinds, and how many files are of others."""
    folders: dict[str, Counter[str]] = {}
    for folder, kind in _with_kinds(paths):
        folders.setdefault(kind, Counter())[folder] += 1
    often = sorted(folders.items(), key=lambda each: (-each[1].total(), each[0]))
    named = [_kind_in_words(kind, lie_in) for kind, lie_in in often[:KINDS]]
    others = sum(lie_in.total() for _, lie_in in often[KINDS:])
    return ", ".join([*named, *([f"{others:,} of other kinds"] if others else [])])


def _with_kinds(paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The folder of each, and its kind. Thousands of files lie in few folders, and have few names' ends."""
    charts = {
        found.parent for each in paths if each.endswith(_OF_A_CHART) and (found := PurePath(each)).name == _OF_A_CHART
    }
    of_charts: dict[str, bool] = {}
    kinds: dict[tuple[str, str], str] = {}
    for path in paths:
        folder, name = os.path.split(path)
        dot = name.rfind(".")
        suffix = name[dot:] if 0 < dot < len(name) - 1 else ""
        if folder not in of_charts:
            of_charts[folder] = _is_of_a_chart(PurePath(folder), charts)
        telling = ("", name) if name == _OF_A_CHART else (suffix, "" if suffix else name)
        if telling not in kinds:
            kinds[telling] = _kind(PurePath(name))
        yield folder, "Helm template" if suffix in _IN_A_CHART and of_charts[folder] else kinds[telling]


def _is_of_a_chart(folder: PurePath, charts: Collection[PurePath]) -> bool:
    return any(each.name == "templates" and each.parent in charts for each in (folder, *folder.parents))


def _kind(path: PurePath) -> str:
    if path.name == _OF_A_CHART:
        return "description of a chart"
    known = _BY_ENDING.get(path.suffix.lower())
    if known is not None:
        return known
    ending = _ending(path)
    return f"{ending} file" if path.suffix and ending.startswith(".") else ending


def _kind_in_words(kind: str, lie_in: Counter[str]) -> str:
    number = lie_in.total()
    where = f" in {len(lie_in):,} folders" if len(lie_in) > 1 else ""
    return f"{number:,} {kind if number == 1 else _plural(kind)}{where}"


def _plural(kind: str) -> str:
    head, of, rest = kind.partition(" of ")
    if head in ("", "of other endings") or kind.startswith("of "):
        return kind
    return f"{head}{'' if head.endswith('s') else 's'}{of}{rest}"
