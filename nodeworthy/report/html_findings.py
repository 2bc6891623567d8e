"""Findings as HTML: those of a rule together, each folded to its sentence and place, opened to all that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from html import escape

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.report.counted import outcome
from nodeworthy.report.frame import LONGEST_LINE, Excerpts, excerpt_of, near
from nodeworthy.report.printable import on_one_line, printable
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.report.stories import Story, stories_of
from nodeworthy.report.text import suppression_word
from nodeworthy.verdict import Finding, Place, Related, Verdict

# Text of others in HTML: escaped, without control characters, and no longer than anybody reads.

LONGEST = 4_000
LONGEST_NAME = 300

# Most words are of nothing else, and need no care.
_PLAIN = pattern(r"[\w .,:;/=()\[\]-]*")
_CODE = pattern("`([^`]+)`")


def text(words: str, longest: int = LONGEST) -> str:
    """The words as they stand, lines and all."""
    if len(words) <= longest:
        return words if _PLAIN.fullmatch(words) else escape(printable(words))
    return f'{escape(printable(words[:longest]))}… <em class="cut">(cut: {len(words) - longest:,} more characters)</em>'


def name(words: str) -> str:
    """A name on one line; its end is kept, for that is where paths differ."""
    if len(words) > LONGEST_NAME:
        words = f"{words[: LONGEST_NAME // 3]}…{words[-LONGEST_NAME * 2 // 3 :]}"
    return words if _PLAIN.fullmatch(words) else escape(on_one_line(words))


def prose(markdown: str) -> str:
    """Paragraphs, lists and code, which is all that the page of a rule is made of."""
    return "".join(_block(block) for block in markdown.strip().split("\n\n"))


def _block(block: str) -> str:
    lines = block.strip("\n").split("\n")
    if lines[0].startswith("- "):
        return f"<ul>{''.join(f'<li>{_with_code(each)}</li>' for each in _items(lines))}</ul>"
    return f"<p>{_with_code(' '.join(line.strip() for line in lines))}</p>"


def _items(lines: list[str]) -> Iterator[str]:
    item = ""
    for line in lines:
        if line.startswith("- ") and item:
            yield item
            item = ""
        item = f"{item} {line.removeprefix('- ').strip()}".strip()
    yield item


def _with_code(words: str) -> str:
    return _CODE.sub(r"<code>\1</code>", text(words))


MOST_VICTIMS = 200
MOST_RELATED = 50


def anchor(found: Finding) -> str:
    """The same for the same fault in tomorrow's report, as long as it stands in the same place."""
    where = found.where
    named = (found.rule, found.verdict, where, found.message)
    return f"f-{blake2b(repr(named).encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


def article(told: Story, key: str, excerpts: Excerpts, *, is_open: bool) -> str:
    found = told.first
    word = "suppressed" if found.suppressed else outcome(found)
    marks = [word, *(["simulated"] if found.simulated else ())]
    called = {"suppressed": suppression_word(found)}
    shown = "".join(f'<span class="word is-{mark}">{called.get(mark, mark)}</span> ' for mark in marks)
    rows = "".join(f"<dt>{label}</dt><dd>{said}</dd>" for label, said in _rows(told, excerpts))
    says = told.sentence()
    return (
        f'<article><details{" open" if is_open else ""}><summary>{shown}<span class="says">{name(says)}'
        f'</span> <code class="at">{name(str(found.where))}</code></summary>'
        f'<div class="body" id="{key}"><dl>{rows}</dl><a class="link" href="#{key}">link to this finding</a></div>'
        "</details></article>\n"
    )


def _rows(told: Story, excerpts: Excerpts) -> Iterator[tuple[str, str]]:
    found, says = told.first, told.sentence()
    if len(says) > LONGEST_NAME or "\n" in says:
        yield "says", text(says)
    if found.is_ is not None:
        yield "is", f"<code>{text(found.is_)}</code>"
    if found.should is not None:
        yield "should be", f"<code>{text(found.should)}</code>"
    yield "where", _place(found.where) + _around(found.where, excerpts)
    yield from _others(told, excerpts)
    if found.cause:
        yield "why", text(found.cause)
    if found.victims:
        yield "victims", _victims(found.victims)
    if found.simulated:
        yield "simulated", "a second run with made-up outputs decided it"
    if found.remedy:
        yield "fix", f'<code class="fix">{text(found.remedy)}</code>'


def _others(told: Story, excerpts: Excerpts) -> Iterator[tuple[str, str]]:
    """The other places that it is about."""
    if told.places():
        yield "at", f"<ul>{''.join(f'<li>{name(each)}</li>' for each in told.places())}</ul>"
    every = told.first.related
    for each in every[:MOST_RELATED]:
        yield "see", _related(each, excerpts)
    if len(every) > MOST_RELATED:
        yield "see", f"and {len(every) - MOST_RELATED:,} places more"


def _place(place: Place) -> str:
    subject = f' <span class="faint">{name(place.subject)}</span>' if place.subject else ""
    told = name(str(place))
    return f"<code>{told}</code>" + (subject if place.subject != str(place) else "")


def _related(each: Related, excerpts: Excerpts) -> str:
    return f"{text(each.says)}: <code>{name(str(each.place))}</code>{_around(each.place, excerpts)}"


def _victims(victims: tuple[str, ...]) -> str:
    items = "".join(f"<li>{name(each)}</li>" for each in victims[:MOST_VICTIMS])
    more = f"<li>and {len(victims) - MOST_VICTIMS:,} more</li>" if len(victims) > MOST_VICTIMS else ""
    shut = " open" if len(victims) <= 5 else ""
    return f"<details{shut}><summary>{len(victims):,}</summary><ul>{items}{more}</ul></details>"


def _around(place: Place, excerpts: Excerpts) -> str:
    """What stands there; nothing where the place is in no file of this machine."""
    excerpt = excerpt_of(place, excerpts)
    if excerpt is None:
        return ""
    says = f'<p class="says-why">{text(excerpt.says)}</p>' if excerpt.says else ""
    if not excerpt.lines:
        return says
    shown = "".join(_line(excerpt.first + at, line, place) for at, line in enumerate(excerpt.lines))
    return f'<figure><pre class="lines">{shown}</pre>{says}</figure>'


def _line(number: int, line: str, place: Place) -> str:
    here = number == place.line
    shown = text(near(line, place.column or 1 if here else 1)[0], LONGEST_LINE + 2)
    tag = "mark" if here else "span"
    return f"<{tag}><i>{number}</i><b>{shown or ' '}</b></{tag}>"


CALLED = {
    "fail": "Failures",
    "error": "Errors, which kept something from being judged",
    "unknown": "Unknown, which is no pass",
    "warning": "Warnings",
    "suppressed": "Suppressed",
}


@dataclass(frozen=True)
class FindingGroup:
    """Findings of the same outcome and of the same rule, or of all the rules that can't tell for one reason."""

    outcome: str
    rules: tuple[str, ...]
    told: Sequence[Story]

    @property
    def key(self) -> str:
        return f"{self.outcome}-{'-'.join(self.rules)}"[:200]

    @cached_property
    def findings(self) -> int:
        return sum(len(each.findings) for each in self.told)


def groups_of(report: Report, asked: ReportOptions) -> list[FindingGroup]:
    found: dict[tuple[str, tuple[str, ...]], list[Story]] = {}
    for each in stories_of(asked.told(report)):
        if each.first.verdict is not Verdict.PASS:
            word = "suppressed" if each.first.suppressed else outcome(each.first)
            found.setdefault((word, tuple(each.rules)), []).append(each)
    order = list(CALLED)
    groups = [FindingGroup(word, rules, told) for (word, rules), told in found.items()]
    return sorted(groups, key=lambda group: (order.index(group.outcome), -group.findings, group.rules))


def group_name(group: FindingGroup) -> str:
    return name(group.rules[0]) if len(group.rules) == 1 else f"{len(group.rules)} rules, for one reason"
