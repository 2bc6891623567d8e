"""A rule that could not be loaded judges nothing, and says so as one that crashed."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.engine import Judgement, Nothing
from nodeworthy.own_rules.load import Broken
from nodeworthy.rule import Rule
from nodeworthy.telling import without_secrets
from nodeworthy.verdict import Verdict, error

REMEDY = "mend the rule's file: `nodeworthy rules test DIR` tries it"


def not_loaded(broken: Broken, crash: Rule) -> Judgement:
    why = f"the rule {broken.id} can't be loaded, so nothing is known of it: {broken.why}"
    found = replace(error(broken.place, why, remedy=REMEDY), rule=crash.id, severity=crash.severity)
    return Judgement(crash, Nothing(broken.place), Verdict.ERROR, (without_secrets(found),), crashed=broken.id)
