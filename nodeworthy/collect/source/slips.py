"""Slips that any script, image or list of tasks may hold, whatever else is read of it: an archive that is gone, a key
that everybody may read, munge's key under a munged that runs, a daemon that its unit loses; and of a script that nobody
else reads, that its shell can't read it either."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.file_marks import MAY_BE_GONE, MAY_FORK, MAY_LAY_A_KEY, MAY_OPEN_A_KEY
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place


def slips_in(source: Source, data: bytes) -> Sequence[Fact]:
    facts = list[Fact]()
    if MAY_BE_GONE.search(data) is not None:
        from nodeworthy.facts.boot.gone_source_asked import gone_sources_asked

        facts += gone_sources_asked(any_text(data), source.shown)
    if MAY_OPEN_A_KEY.search(data) is not None:
        from nodeworthy.facts.secrets.keys_left_open import keys_left_open

        facts += keys_left_open(any_text(data), source.shown)
    if MAY_LAY_A_KEY.search(data) is not None:
        from nodeworthy.facts.slurm.munge_key import munge_keys_laid

        facts += munge_keys_laid(any_text(data), source.shown)
    if MAY_FORK.search(data) is not None:
        from nodeworthy.facts.boot.forking_service import forking_services

        facts += forking_services(any_text(data), source.shown)
    return facts


def broken_shells(source: Source, data: bytes) -> Sequence[Fact]:
    """Of a script that makes no node, and runs beside one: a prolog, a check of its health, what submits jobs."""
    from nodeworthy.facts.boot.broken_shell import broken_shell

    return list(broken_shell(any_text(data), source.shown))


def with_slips(
    found: FileContents | None, facts: Sequence[Fact], source: Source, data: bytes, rules: frozenset[str]
) -> FileContents:
    if found is None:
        told = list(comments(any_text(data), Place(source.shown), rules, is_yaml=False))
        return FileContents([*facts], suppressions=told)
    return replace(found, facts=[*found.facts, *facts])
