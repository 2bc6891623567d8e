"""What can be said about a subject, where it was seen, and whether it is known at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeVar, runtime_checkable

from nodeworthy.records import dataclass, fields, replace

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from nodeworthy.edit import Edit

    class Details(TypedDict, total=False):
        """What a draft says beside its place and its message."""

        is_: str | None
        should: str | None
        on: str | Iterable[str]
        related: Iterable[Related]
        cause: str | None
        remedy: str | None
        victims: Iterable[str]
        edit: Edit | None
        severity: Severity
        link: str
        nodes: Iterable[str]


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Verdict(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"
    UNKNOWN = "unknown"
    ERROR = "error"


_NOT_KNOWN = (" is not known: ", " is not known, because ")

# A pair of rule and subject gets the worst of what was found; a skip only where there is nothing else.
WORST_FIRST = (Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN, Verdict.PASS, Verdict.SKIP)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    return min(verdicts, key=WORST_FIRST.index, default=Verdict.SKIP)


class Unread(StrEnum):
    """Why nothing of a whole subject could be read."""

    FORMAT = "its format"
    TEXT = "its text"
    HEADER = "its header"


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


# Not frozen: nobody changes one, and every value of every document and every command of a script has its own.
@dataclass(slots=True, unsafe_hash=True)
class Place:
    """Where something was seen: a line of a file, a planned resource, a host, an object of a cluster."""

    path: str | None = None
    line: int | None = None
    column: int | None = None
    urn: str | None = None
    host: str | None = None
    object: str | None = None
    subject: str | None = None
    # Of a text that is packed (base64, gzip, a planned resource): the line in that text, which `subject` tells.
    within: int | None = None

    def about(self, subject: str) -> Place:
        # Spelt out: every value of every document passes here, and dataclasses.replace takes five times as long.
        return Place(self.path, self.line, self.column, self.urn, self.host, self.object, subject, self.within)

    @property
    def file(self) -> str:
        """The path; empty of what stands in no file."""
        return self.path or ""

    @property
    def row(self) -> int:
        """The line in the text that it stands in: what stands above what."""
        return self.within or self.line or 0

    @property
    def spot(self) -> str:
        """The place for a reader who has the text open: `line 23`."""
        if self.within is not None and self.subject:
            return self.subject
        return f"line {self.line}" if self.line is not None else str(self)

    def __str__(self) -> str:
        position = [str(part) for part in (self.path, self.line, self.column) if part is not None]
        named = [part for part in (":".join(position), self.urn, self.host, self.object) if part]
        return " ".join(named) or self.subject or "(nowhere)"


# Of a fault that keeps no pod from its GPU, whatever else its rule tells.
NO_LINK = "none"
# Of a draft whose place is known to who asked for it.
NOWHERE = Place()


@runtime_checkable
class Placed(Protocol):
    @property
    def place(self) -> Place: ...


@dataclass(frozen=True, slots=True)
class Known(Generic[T_co]):
    value: T_co


@dataclass(frozen=True, slots=True)
class Unknown:
    why: str
    # Of a planned resource's output: that resource's URN, where it can be told.
    of: str = ""
    # Of a text of several pieces: the last of them, where it is written.
    end: str = ""


@dataclass(frozen=True, slots=True)
class Located(Generic[T_co]):
    """A value with its place, that may be unknown. A check looks inside by `need()` and in no other way."""

    state: Known[T_co] | Unknown
    place: Place
    secret: bool = False
    # False for a default: nobody wrote this value where `place` points.
    written: bool = True

    @staticmethod
    def known(value: T, place: Place) -> Located[T]:
        return Located(Known(value), place)

    @staticmethod
    def unknown(why: str, place: Place) -> Located[Any]:
        return Located(Unknown(why), place)

    def shown(self) -> str:
        """The value for a human reader; a secret or an unknown one is named, never shown."""
        if self.secret:
            return "(secret)"
        if isinstance(self.state, Unknown):
            return "(unknown)"
        if self.state.value is None:
            return "nothing"
        if isinstance(self.state.value, Mapping):
            return "a mapping"
        if isinstance(self.state.value, Sequence) and not isinstance(self.state.value, str):
            return "a list"
        return str(self.state.value)


class NotKnown(Exception):
    """A value that a rule needs is unknown: the subject can't be judged."""

    def __init__(self, why: str, place: Place | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.place = place


class ToGive(str):
    """Why a rule can't judge, where the reader can provide what is missing. The sentence ends with what to provide, and
    where that is something that has to say much, with what it is asked for."""

    why: str
    give: str
    asked: tuple[str, ...]

    def __new__(cls, why: str, give: str, *asked: str) -> ToGive:
        made = super().__new__(cls, f"{why}: {name_all(give, asked)}")
        made.why, made.give, made.asked = why, give, asked
        return made

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]
        """Of what a copy of it is made."""
        return self.why, self.give, *self.asked


def name_all(begins: str, words: Sequence[str]) -> str:
    """`whose pools say distribution, GPU and driver`."""
    return f"{begins} {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if words else begins


class DoesNotApply(Exception):
    """The rule can't apply to this subject."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def need(located: Located[T]) -> T:
    """The value, or the end of this judgement as `unknown`."""
    if isinstance(located.state, Unknown):
        raise NotKnown(located.state.why, located.place)
    return located.state.value


def value_if_known(located: Located[T] | None) -> T | None:
    """The value; None where it is unknown, or where nobody says it. For those who describe and guess: a check that took
    None for an answer would pass what nobody looked at."""
    return located.state.value if located is not None and isinstance(located.state, Known) else None


def skip(why: str) -> NoReturn:
    raise DoesNotApply(why)


@dataclass(frozen=True, slots=True)
class Related:
    place: Place
    says: str


@dataclass(frozen=True, slots=True)
class Draft:
    """One fault, readable at 3 a.m.: what is, what should be, where, why, and what mends it. A check yields it."""

    verdict: Verdict
    message: str
    where: Place
    is_: str | None = None
    should: str | None = None
    related: tuple[Related, ...] = ()
    cause: str | None = None
    remedy: str | None = None
    victims: tuple[str, ...] = ()
    # Whom the fault concerns ("pool 'h100'"); equal faults of several are told as one.
    on: tuple[str, ...] = ()
    # What mends it, where that leaves no choice.
    edit: Edit | None = None
    # A warning where the rule's own severity is an error: this finding alone is less.
    severity: Severity = Severity.ERROR
    # The link between card and pod that it breaks (known/chain.toml), where that is not its rule's.
    link: str = ""
    # The nodes that it is about, by name, where its other places do not name them all.
    nodes: tuple[str, ...] = ()

    @property
    def is_unknown(self) -> bool:
        return self.verdict is Verdict.UNKNOWN

    def with_more(self, *, on: str = "", related: Iterable[Related] = ()) -> Draft:
        """The same fault, of whom it is and what else is to be seen."""
        return replace(self, on=(*self.on, on) if on else self.on, related=(*self.related, *related))

    def sentence(self) -> str:
        if not self.on:
            return self.message
        named = self.on if len(self.on) <= 3 else (*self.on[:3], f"{len(self.on) - 3} more")
        on = f" on {' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))}"
        # Of whom something is not known stands with what that is, and not with the reason.
        at = next((at for mark in _NOT_KNOWN if (at := self.message.find(mark)) >= 0), len(self.message))
        return f"{self.message[:at]}{on}{self.message[at:]}"


@dataclass(frozen=True, slots=True)
class Finding(Draft):
    """A draft that the engine has signed with its rule."""

    rule: str = ""
    suppressed: bool = False
    simulated: bool = False
    # Suppressed, because it stands in the baseline.
    baselined: bool = False

    @classmethod
    def of(cls, made: Draft, rule: str, *, severity: Severity | None = None, remedy: str | None = None) -> Finding:
        """The draft, signed with the rule's id. A severity or a remedy that is given here replaces the draft's own."""
        said = {each.name: getattr(made, each.name) for each in fields(Draft)}
        return cls(**said | {"severity": severity or made.severity, "remedy": remedy or made.remedy}, rule=rule)


# What a check hands over, one by one.
Findings = Iterator[Draft]


def _is(where: Placed, is_: str | None) -> str | None:
    if is_ is None and isinstance(where, Located):
        return where.shown()
    return is_


def draft(
    verdict: Verdict,
    where: Placed | Place,
    message: str,
    *,
    is_: str | None = None,
    should: str | None = None,
    on: str | Iterable[str] = (),
    related: Iterable[Related] = (),
    cause: str | None = None,
    remedy: str | None = None,
    victims: Iterable[str] = (),
    edit: Edit | None = None,
    severity: Severity = Severity.ERROR,
    link: str = "",
    nodes: Iterable[str] = (),
) -> Draft:
    place = where if isinstance(where, Place) else where.place
    return Draft(
        verdict,
        message,
        place,
        is_=is_ if isinstance(where, Place) else _is(where, is_),
        should=should,
        related=tuple(related),
        cause=cause,
        remedy=remedy,
        victims=tuple(victims),
        on=(on,) if isinstance(on, str) else tuple(on),
        edit=edit,
        severity=severity,
        link=link,
        nodes=tuple(nodes),
    )


def fail(where: Placed | Place, message: str, **what: Unpack[Details]) -> Draft:
    return draft(Verdict.FAIL, where, message, **what)


def unknown(where: Placed | Place, why: str, **what: Unpack[Details]) -> Draft:
    return draft(Verdict.UNKNOWN, where, why, **what)


def error(where: Placed | Place, why: str, **what: Unpack[Details]) -> Draft:
    return draft(Verdict.ERROR, where, why, **what)
