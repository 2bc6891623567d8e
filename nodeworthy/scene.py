"""What is judged together: facts, and what the engine has to know beside them. Nobody else makes a scene.

A collector says, in this order:

    facts          what it found; what these make together is derived when somebody asks (`derive.py`)
    missing        of types that a rule may ask for and that are not there: why. A skip where they may rightly not be
                   there, unknown where nobody could look
    suppressions   what stands in what was read, and speaks of rules
    about          the types that are judged here, where the others are only what these are judged by
    elsewhere      the types that another scene of the same run tells: here they are not derived, a check that gives way
                   to one of them is not asked, and a suppression of their rules is not called unused
    with_evidence  which files nobody asked about, and which of them somebody did

A fact may say of itself, where the engine asks:

    judged_by(type)   what only this subject is judged by (a script's own pools), or why it has none; else all there are
    unread_as         why nothing of it could be read: told by the rule that says so (`Rule.tells`), and by no other
    stands_in         the files that it is made of: whoever asks about one of them hears how it was judged
    told_once         messages of which one rule is enough, of all that judge it or by it
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from nodeworthy.derive import Facts
from nodeworthy.records import dataclass, field, replace
from nodeworthy.rule import BoundCheck
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place, Placed, Verdict

Fact = Placed


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no fact of some type: `skip` where it may rightly be so, `unknown` where we could not look."""

    why: str
    verdict: Verdict = Verdict.SKIP
    place: Place = field(default_factory=Place)


@dataclass(frozen=True)
class Scene:
    """Facts that belong together: a fleet, and what is judged by it."""

    facts: Sequence[Fact]
    missing: Mapping[type[Any], Missing]
    suppressions: Sequence[Suppression]
    about: frozenset[type[Any]] | None
    elsewhere: frozenset[type[Any]]
    evidence: frozenset[str] = frozenset()
    judged: frozenset[str] = frozenset()

    @cached_property
    def told(self) -> Facts:
        """All facts by their types, with those that they make together."""
        return Facts(self.facts, {*self.missing, *self.elsewhere})

    @cached_property
    def telling_once(self) -> Mapping[type[Any], Sequence[Fact]]:
        """The facts with messages that one rule is enough to tell, by their types."""
        found: dict[type[Any], list[Fact]] = defaultdict(list)
        for each in self.facts:
            if hasattr(type(each), "told_once"):
                found[type(each)].append(each)
        return found

    def is_about(self, subject: type[Any]) -> bool:
        return self.about is None or subject in self.about

    def asks(self, check: BoundCheck) -> bool:
        return self.is_about(check.subject) and not self.is_better_told_of(check)

    def is_better_told_of(self, check: BoundCheck) -> bool:
        """Here, or in another scene."""
        better = check.unless
        return better is not None and (better in self.elsewhere or bool(self.told.of(better)))

    def with_evidence(self, evidence: frozenset[str], judged: frozenset[str]) -> Scene:
        """The same scene, told which files are only evidence. Rules read the files of `evidence`, and no finding is
        about them. Somebody asked about the files of `judged`."""
        return replace(self, evidence=evidence, judged=judged)

    def with_more(self, facts: Iterable[Fact]) -> Scene:
        return replace(self, facts=[*self.facts, *facts])

    def without_suppressions(self) -> Scene:
        return replace(self, suppressions=())


def make_scene(
    facts: Iterable[Fact],
    missing: Mapping[type[Any], Missing | str] | None = None,
    suppressions: Iterable[Suppression] = (),
    *,
    about: Collection[type[Any]] | None = None,
    elsewhere: Collection[type[Any]] = (),
) -> Scene:
    """Makes a scene, and nobody else does. A missing type may be given as a bare reason; it is then a skip."""
    told = {kind: Missing(why) if isinstance(why, str) else why for kind, why in (missing or {}).items()}
    chosen = frozenset(about) if about is not None else None
    return Scene(list(facts), told, list(suppressions), chosen, frozenset(elsewhere))
