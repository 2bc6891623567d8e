"""A rule's page, as Markdown: what must be true, why, and what it looks like where it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from nodeworthy.records import dataclass
from nodeworthy.rule import Moment, Rule
from nodeworthy.verdict import Severity

INCIDENTS = {
    "A": "the wrong container runtime",
    "B": "verification that eats the fleet",
    "C": "GPUs shared through HAMi",
    "D": "a fleet of GPU development servers",
    "E": "hardening of a Slurm cluster",
}
SEVERITIES = {
    Severity.ERROR: "error: it blocks",
    Severity.WARNING: "warning: it is reported, and blocks with `--strict`",
}
LANGUAGES = {"yaml": "yaml", "yml": "yaml", "json": "json", "toml": "toml", "sh": "bash", "py": "python"}


@dataclass(frozen=True)
class Example:
    """A case as it was really run: what was looked at, what was typed, what came out."""

    heading: str
    command: str
    output: str
    exit_code: int
    files: Mapping[str, str] = field(default_factory=dict)
    # Where all of it is kept.
    kept: str = ""


def render(rule: Rule, examples: Sequence[Example], moments: Sequence[Moment] = ()) -> str:
    blocks = [f"# {rule.id}", f"{rule.title}.", *_facts(rule, moments), rule.documentation]
    for example in examples:
        blocks += _example(example)
    blocks += _living_with_it(rule)
    return "\n\n".join(blocks) + "\n"


def _facts(rule: Rule, moments: Sequence[Moment]) -> Iterator[str]:
    rows = [("severity", SEVERITIES[rule.severity])]
    if rule.about_ourselves:
        rows.append(("proven", "wherever something is judged"))
    elif moments:
        rows.append(("proven at", ", ".join(moment.value for moment in moments)))
    if rule.incident:
        rows.append(("learnt from", INCIDENTS[rule.incident]))
    rows.append(("remedy", rule.remedy))
    if rule.mends:
        rows.append(("mended", "by `check --fix`, and in an editor, where that leaves no choice"))
    if rule.never_unknown:
        rows.append(("never unknown", rule.never_unknown))
    yield "\n".join(["| | |", "|---|---|", *(f"| {name} | {_cell(text)} |" for name, text in rows)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _example(example: Example) -> Iterator[str]:
    yield f"## {example.heading}"
    if not example.files:
        yield f"In `{example.kept}`:"
    for name, text in example.files.items():
        yield f"`{name}`\n\n{fence(LANGUAGES.get(name.rpartition('.')[2], ''), text)}"
    yield session(example)


def session(example: Example) -> str:
    """What one sees in a terminal."""
    return fence("console", f"$ {example.command}\n{example.output.strip()}\n$ echo $?\n{example.exit_code}")


def fence(language: str, text: str) -> str:
    marks = "````" if "```" in text else "```"
    return f"{marks}{language}\n{text.strip()}\n{marks}"


def _living_with_it(rule: Rule) -> Iterator[str]:
    if rule.about_ourselves:
        return
    yield "## To live with it"
    yield (
        f"`# nodeworthy: ignore {rule.id} reason…` at the end of the line that it speaks of, or alone on the line "
        f"above; on a Kubernetes object the annotation `nodeworthy/ignore.{rule.id}: reason`. Without a reason it has "
        "no effect."
    )
