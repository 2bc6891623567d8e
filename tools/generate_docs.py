"""Writes docs/ from the code, and its examples from the cases, which it runs; beside it the manual and the shells'
completion.

python tools/generate_docs.py             writes what has changed, removes the pages of rules that are gone
python tools/generate_docs.py --check     writes nothing; exit code 1, naming them, where pages are not up to date
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import completion_scripts
import evidence_pages
import man_pages
import needs_page
import reference_pages
import screens
import settings_page
import table_pages
from case_examples import examples_of
from markdown import page, table

from bench.page import page_of_speed
from nodeworthy.collect.collected import moments_of
from nodeworthy.fleet.schema import schema_of_record
from nodeworthy.report import rule_page
from nodeworthy.rule import Rule
from nodeworthy.rules import SUBJECTS, catalogue, subjects
from nodeworthy.settings.read import SETTINGS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MANUAL = ROOT / "share" / "man" / "man1"
COMPLETIONS = ROOT / "nodeworthy" / "completions"
MARK = "<!-- Generated: `make docs` writes this page, and tests fail where it is not up to date. -->\n"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes docs/ from the code and from its cases.")
    parser.add_argument("--check", action="store_true", help="write nothing; say what is not up to date")
    parser.add_argument("--into", type=Path, default=DOCS, metavar="DIR", help="another folder than docs/")
    options = parser.parse_args(argv)
    stale = not_up_to_date(options.into)
    if options.into == DOCS:
        stale |= {path: text for path, text in beside().items() if _text(path) != text}
    if options.check:
        return _complain(stale)
    write(options.into, stale)
    return 0


def pages() -> dict[str, str]:
    """Every generated page, by its path in docs/."""
    made = {
        "commands.md": reference_pages.commands(),
        "exit-codes.md": reference_pages.exit_codes(),
        "containerd.md": table_pages.containerd(),
        "fleet.md": table_pages.fleet(),
        "needs.md": needs_page.needs(),
        "settings.md": settings_page.settings(),
        "screens.md": screens.page_text(),
        "speed.md": page_of_speed(),
        "rules/index.md": rules_index(),
        **evidence_pages.evidence_pages(),
    }
    for rule in catalogue():
        made[f"rules/{rule.id}.md"] = rule_page.render(rule, list(examples_of(rule.id)), moments_of(rule))
    return {name: MARK + "\n" + text for name, text in made.items()}


def beside() -> dict[Path, str | None]:
    """What is generated and lies elsewhere; None for the manual of a command that is gone."""
    manual = {MANUAL / name: text for name, text in man_pages.man_pages().items()}
    scripts = {COMPLETIONS / name: text for name, text in completion_scripts.completion_scripts().items()}
    shown = {DOCS / "screens" / name: text for name, text in screens.pictures().items()}
    gone = dict.fromkeys(path for path in MANUAL.glob("*.1") if path not in manual)
    schema = json.dumps(schema_of_record(SETTINGS), indent=2) + "\n"
    return {SUBJECTS: subjects(), DOCS / "settings.schema.json": schema, **manual, **scripts, **shown, **gone}


def rules_index() -> str:
    rows = [(f"[{rule.id}]({rule.id}.md)", rule.title, rule.severity.value, _moments(rule)) for rule in catalogue()]
    return page(
        "# The rules",
        "Each is written once and proven at every moment at which it can be proven. Ids are public: scripts, "
        "suppressions and policy levels name them.",
        "**A rule speaks only where something asks for what it protects, and where what it says would happen on that "
        "machine.** Whoever installs a driver and never profiles hears nothing of profiling; what `torchrun` sets by "
        "itself is not missing; EC2's limits are EC2's. What is not known is `unknown` where the answer matters and "
        "somebody could give it. A rule that is wrong on strangers' files every second time is worse than none, so "
        "that is measured, rule by rule: `make strangers`.",
        table(("rule", "what must be true", "severity", "proven at"), *rows),
    )


def _moments(rule: Rule) -> str:
    return ", ".join(moment.value for moment in moments_of(rule))


def not_up_to_date(docs: Path) -> dict[Path, str | None]:
    """Page → its text as it should be; None for a generated page of something that is gone."""
    wanted = {docs / name: text for name, text in pages().items()}
    stale: dict[Path, str | None] = {path: text for path, text in wanted.items() if _text(path) != text}
    gone = (path for path in docs.rglob("*.md") if path not in wanted and _text(path).startswith(MARK))
    return {**stale, **dict.fromkeys(gone)}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _complain(stale: dict[Path, str | None]) -> int:
    for path, text in stale.items():
        print(f"{path}: {'is of something that is gone' if text is None else 'is not up to date'}; run `make docs`")
    return 1 if stale else 0


def write(docs: Path, stale: dict[Path, str | None]) -> None:
    for path, text in stale.items():
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        said = path.relative_to(docs.parent) if path.is_relative_to(docs.parent) else path
        print(f"{'removed' if text is None else 'wrote'} {said}")


if __name__ == "__main__":
    sys.exit(main())
