"""Names are words that one can search for: of public functions a verb or a noun, and no bare participle (`told`,
`left_by`); of classes a word that is theirs; and what is private is no bare `_told` in fifty modules either."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT

# What is defined at the beginning of a line, decorated or not.
PUBLIC = re.compile(r"^(?:async )?def ([a-z]\w*)", re.MULTILINE)
CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)
# A class of one name may stand in so many modules; those of `Options` are a command's, each its own.
MOST_OF_ONE_NAME = 4
EACH_COMMANDS = "Options"
# By these alone nobody finds what is meant.
EMPTY = re.compile(
    r"^(?:async )?def _(?:asked|called|found|given|held|kept|known|left|made|named|of|read|said|seen|shown|taken|told|"
    r"written)\(",
    re.MULTILINE,
)
# Participles that do not end in -ed. Those that are the verb itself as well (`read`, `run`, `cut`) are not among them.
IRREGULAR = frozenset(
    "begun bound broken brought built caught chosen done drawn driven fallen found frozen given gone grown held hidden "
    "kept known laid led left lent lit lost made meant met misled misread mistaken overtaken paid proven said seen sent "
    "shown sold spent spoken stood stuck sunk taken taught thought thrown told torn undone undrawn unknown unread unseen "
    "unsent unspent untold unwritten won worn written".split()
)
# Words that end in -ed and are none.
NO_PARTICIPLE = frozenset("embed exceed feed indeed need proceed sed seed speed".split())
# With these behind it, a participle is as bare as before.
SMALL_WORDS = frozenset(
    "a about again all amid an apart as at away before beside both by each for from here in inside into it its itself "
    "of off on once out over since somewhere than the then there though to together under up with without".split()
)
# Those that may be: by their module and name, each with its reason.
EXCEPTIONS = {
    "nodeworthy.verdict.unknown": "rules of one's own import it, and it makes a draft with the verdict of that name",
}


def is_participle(word: str) -> bool:
    return word in IRREGULAR or (word.endswith("ed") and word not in NO_PARTICIPLE)


def is_bare(name: str) -> bool:
    first, *others = name.split("_")
    return is_participle(first) and all(is_participle(each) or each in SMALL_WORDS for each in others)


def functions(root: Path = ROOT / "nodeworthy") -> Iterator[str]:
    """The public functions of all modules. A method is called on something, which says what is meant."""
    for file in sorted(root.rglob("*.py")):
        module = ".".join(file.relative_to(root.parent).with_suffix("").parts)
        yield from (f"{module}.{name}" for name in PUBLIC.findall(file.read_text(encoding="utf-8")))


def test_no_public_function_is_a_bare_participle() -> None:
    every = list(functions())
    assert len(every) > 1000
    bare = {each for each in every if is_bare(each.rpartition(".")[2])}
    assert bare == set(EXCEPTIONS)


def modules() -> Iterator[tuple[str, str]]:
    for file in sorted((ROOT / "nodeworthy").rglob("*.py")):
        yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def test_no_public_function_begins_with_of() -> None:
    """What it returns comes first: `cloud_of_script`, and not the `of_script` of somebody's clouds."""
    assert [each for each in functions() if each.rpartition(".")[2].startswith("of_")] == []


def test_a_class_is_found_by_its_name() -> None:
    counted = Counter(name for _, text in modules() for name in set(CLASS.findall(text)))
    assert len(counted) > 1000
    assert {name for name, times in counted.items() if times > MOST_OF_ONE_NAME} == {EACH_COMMANDS}


def test_no_private_function_is_called_by_a_word_that_says_nothing() -> None:
    assert [path for path, text in modules() if EMPTY.search(text)] == []
    assert EMPTY.search("\ndef _told(each: str) -> str: ...\n")
    assert not EMPTY.search("\ndef _told_lines(each: str) -> str: ...\n")


@pytest.mark.parametrize("name", ["told", "left_by", "seen_at_once", "judged_together", "written", "refused"])
def test_such_a_name_is_noticed(name: str, tmp_path: Path) -> None:
    (tmp_path / "nodeworthy").mkdir()
    (tmp_path / "nodeworthy" / "a.py").write_text(f"def {name}() -> None: ...\ndef _{name}() -> None: ...\n")
    assert [each for each in functions(tmp_path / "nodeworthy") if is_bare(each.rpartition(".")[2])] == [
        f"nodeworthy.a.{name}"
    ]


@pytest.mark.parametrize("name", ["settle", "guard_in_words", "told_lines", "read", "need", "seed", "is_told", "run"])
def test_a_verb_and_a_noun_are_not(name: str) -> None:
    assert not is_bare(name)
