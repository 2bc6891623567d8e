"""Parts of a word that stand beside each other."""

from __future__ import annotations

from nodeworthy.boot.shell.word_syntax import Literal, WordPart


def joined(parts: list[WordPart]) -> tuple[WordPart, ...]:
    """Neighbours that are both literal, quoted alike, are one."""
    result: list[WordPart] = []
    run: list[Literal] = []
    for part in parts:
        if run and not (isinstance(part, Literal) and part.quoted is run[0].quoted):
            result.append(_one(run))
            run = []
        if isinstance(part, Literal):
            run.append(part)
        else:
            result.append(part)
    if run:
        result.append(_one(run))
    return tuple(result)


def _one(run: list[Literal]) -> Literal:
    return run[0] if len(run) == 1 else Literal("".join([each.text for each in run]), run[0].quoted)
