"""One finding as HTML: folded to its sentence and its place, opened to all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from nodeworthy.report.counted import outcome
from nodeworthy.report.html_excerpt import Excerpts, around
from nodeworthy.report.html_text import LONGEST_NAME, name, text
from nodeworthy.report.text import suppressed_by
from nodeworthy.report.together import Told
from nodeworthy.verdict import Finding, Place, Related

MOST_VICTIMS = 200
MOST_RELATED = 50


def anchor(found: Finding) -> str:
    """The same for the same fault in tomorrow's report, as long as it stands in the same place."""
    where = found.where
    named = (found.rule, found.verdict, where, found.message)
    return f"f-{blake2b(repr(named).encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


def article(told: Told, key: str, excerpts: Excerpts, *, is_open: bool) -> str:
    found = told.first
    word = "suppressed" if found.suppressed else outcome(found)
    marks = [word, *(["simulated"] if found.simulated else ())]
    called = {"suppressed": suppressed_by(found)}
    shown = "".join(f'<span class="word is-{mark}">{called.get(mark, mark)}</span> ' for mark in marks)
    rows = "".join(f"<dt>{label}</dt><dd>{said}</dd>" for label, said in _rows(told, excerpts))
    says = told.sentence()
    return (
        f'<article><details{" open" if is_open else ""}><summary>{shown}<span class="says">{name(says)}'
        f'</span> <code class="at">{name(str(found.where))}</code></summary>'
        f'<div class="body" id="{key}"><dl>{rows}</dl><a class="link" href="#{key}">link to this finding</a></div>'
        "</details></article>\n"
    )


def _rows(told: Told, excerpts: Excerpts) -> Iterator[tuple[str, str]]:
    found, says = told.first, told.sentence()
    if len(says) > LONGEST_NAME or "\n" in says:
        yield "says", text(says)
    if found.is_ is not None:
        yield "is", f"<code>{text(found.is_)}</code>"
    if found.should is not None:
        yield "should be", f"<code>{text(found.should)}</code>"
    yield "where", _place(found.where) + around(found.where, excerpts)
    yield from _others(told, excerpts)
    if found.cause:
        yield "why", text(found.cause)
    if found.victims:
        yield "victims", _victims(found.victims)
    if found.simulated:
        yield "simulated", "a second run with made-up outputs decided it"
    if found.remedy:
        yield "fix", f'<code class="fix">{text(found.remedy)}</code>'


def _others(told: Told, excerpts: Excerpts) -> Iterator[tuple[str, str]]:
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
    return f"{text(each.says)}: <code>{name(str(each.place))}</code>{around(each.place, excerpts)}"


def _victims(victims: tuple[str, ...]) -> str:
    items = "".join(f"<li>{name(each)}</li>" for each in victims[:MOST_VICTIMS])
    more = f"<li>and {len(victims) - MOST_VICTIMS:,} more</li>" if len(victims) > MOST_VICTIMS else ""
    shut = " open" if len(victims) <= 5 else ""
    return f"<details{shut}><summary>{len(victims):,}</summary><ul>{items}{more}</ul></details>"
