"""What is compiled late is still tried here: each pattern of each module."""

from __future__ import annotations

import importlib
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from timeit import timeit

import pytest

import nodeworthy
from nodeworthy.known.clouds import clouds
from nodeworthy.patterns import NotYet, pattern
from tests.fuzz.patterns import attacks, takes_a_lines_end, without


def test_it_is_a_pattern() -> None:
    digits = pattern("(?P<all>[a-z]+)", re.IGNORECASE)
    found = digits.fullmatch("AbC")
    assert found is not None
    assert found["all"] == "AbC"
    assert digits.fullmatch("12") is None
    assert digits.sub("-", "a1b") == "-1-"
    assert pattern(b"a").search(b"bab") is not None


def test_a_broken_one_is_told_when_it_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error, match="unterminated subpattern"):
        broken.match("")


def test_every_pattern_of_ours_compiles() -> None:
    tried = 0
    for name in _modules():
        for called, value in vars(importlib.import_module(name)).items():
            if isinstance(value, NotYet):
                assert value.match is not None, f"{name}.{called}"
                tried += 1
    assert tried > 200


def test_one_with_words_finds_what_it_finds_without_them() -> None:
    found = pattern(r"\b(?:red|green)\s+apples\b", words=("red", "green"))
    assert found.search("ripe and blue apples") is None
    shown = found.search("ripe and green apples")
    assert shown is not None
    assert shown.start() == len("ripe and ")
    assert found.search("greenapples") is None
    assert found.fullmatch("red apples") is not None


def test_one_of_its_words_stands_in_whatever_it_takes() -> None:
    found = {written: words for written, words in _words().items() if words}
    assert len(found) > 10
    for (text, flags), words in found.items():
        lacking = without(_letters(text), flags, [_letters(each) for each in words])
        assert lacking is None, (text, lacking)


@pytest.mark.parametrize(
    ("takes", "words", "lacking"),
    [
        ("a+b", ("b",), None),
        ("(?:one|two)three", ("three",), None),
        ("on(?:e|ly)", ("one", "only"), None),
        ("on(?:e|ly|)", ("one", "only"), "on"),
        ("(?:one)?two", ("one",), "two"),
        ("(?i:one)", ("one",), "\0"),
        ("(?i)oNe", ("one",), None),
        ("(?i)one", ("One",), "one"),
        ("(?i)x(?i:one)", ("one",), None),
        ("[a-z]ne", ("one",), "\0ne"),
        ("one|t?wo", ("one", "two"), "wo"),
    ],
)
def test_a_word_that_need_not_stand_there_is_found_out(takes: str, words: tuple[str, ...], lacking: str | None) -> None:
    assert without(takes, 0, words) == lacking


def test_what_is_looked_for_in_lines_takes_no_end_of_one() -> None:
    found = [each for each in _named() if each._in_a_line]
    assert len(found) > 10
    for each in found:
        text, flags = each._written
        assert each._words, text
        assert not takes_a_lines_end(_letters(text), flags), text


@pytest.mark.parametrize(
    ("takes", "flags", "does"),
    [
        (r"a[ \t]*b[^\n]*c", 0, False),
        (r"(?m)^a\S+\b|b$", 0, False),
        (r"(?m:^a)b", 0, False),
        (r"a\s+b", 0, True),
        (r"a[^b]c", 0, True),
        (r"a\Wb", 0, True),
        (r"[\t-\r]", 0, True),
        ("a.b", re.DOTALL, True),
        (r"^a", 0, True),
        (r"(?m:^a)|b$", 0, True),
        (r"a\Z", re.MULTILINE, True),
        (r"a(?=\s)", 0, True),
        (r"(?:a|b\n)?c", 0, True),
        (r"(a)\1", 0, True),
    ],
)
def test_an_end_of_a_line_is_found_out(takes: str, flags: int, does: bool) -> None:
    assert takes_a_lines_end(takes, flags) is does


_WORDS_AND_MORE = ("red", "green", " ", "\n", "apples", "\t", "x", "apples\n", "\nred apples\n")


def test_in_lines_it_finds_what_it_finds_in_the_whole() -> None:
    """The first of all, in texts and bytes, also where the last line has no end."""
    written = r"(?m)^(?:red|green)[ \t]+apples$|\b(?:red|green)x|(?<![\w])green[ \t]apples(?![\w])"
    words = ("red", "green")
    looks, whole = pattern(written, words=words, in_a_line=True), re.compile(written)
    in_bytes = pattern(written.encode(), words=tuple(each.encode() for each in words), in_a_line=True)
    source = random.Random(5)
    hits = 0
    for _ in range(3000):
        text = "".join(source.choices(_WORDS_AND_MORE, k=source.randint(0, 12)))
        found, expected = looks.search(text), whole.search(text)
        assert (found and found.span()) == (expected and expected.span()), text
        in_them = in_bytes.search(text.encode())
        assert (in_them and in_them.span()) == (expected and expected.span()), text
        hits += found is not None
    assert 500 < hits < 2500


def test_what_takes_letters_large_or_small_has_words_in_small_ones() -> None:
    for written, flags in ((r"(?i)red[ \t]apples", 0), (r"red[ \t]apples", re.IGNORECASE)):
        for in_a_line in (False, True):
            found = pattern(written, flags, words=("red",), in_a_line=in_a_line).search("green apples\nReD Apples")
            assert found is not None
            assert found.start() == len("green apples\n")
    in_bytes = pattern(rb"(?im)^red$", words=(b"red",), in_a_line=True)
    assert [each.start() for each in in_bytes.finditer(b"RED\nred apples\nred")] == [0, 15]
    # In small letters the first of them is two: what stands behind it is found all the same.
    longer = pattern(r"(?i)red", words=("red",), in_a_line=True).search("\u0130 RED")
    assert longer is not None
    assert longer.start() == 2
    # A group's name and a group without one are no flags.
    assert pattern(r"(?:is|in)X", words=("X",), in_a_line=True).search("inx isX") is not None


def test_in_lines_all_are_found_that_are_in_the_whole() -> None:
    written = r"\b(red|green)x?"
    looks, whole = pattern(written, words=("red", "green"), in_a_line=True), re.compile(written)
    source = random.Random(6)
    for _ in range(1000):
        text = "".join(source.choices(_WORDS_AND_MORE, k=source.randint(0, 12)))
        assert [each.span() for each in looks.finditer(text)] == [each.span() for each in whole.finditer(text)], text


def test_a_word_on_every_line_costs_what_the_text_is_long() -> None:
    looks = pattern(r"(?m)^[ \t]*include[ \t]*:", words=("include", "import"), in_a_line=True)
    for line in ("include\n", "import\n", "x include ", "include: \n"[1:]):
        began = time.process_time()
        looks.search(line * (100_000 // len(line)))
        assert time.process_time() - began < SECONDS, line


# Of a text that long, a search that is quadratic has done with in some milliseconds; one that is worse never has.
LENGTH, SECONDS = 800, 1.0


@pytest.mark.long
def test_no_pattern_of_ours_takes_long() -> None:
    for written, name in _written().items():
        text, flags = written
        # A pattern of bytes takes the same bytes as letters.
        shown = _letters(text)
        search = re.compile(shown, flags).search
        for attack in attacks(shown, flags, LENGTH):
            began = time.process_time()
            search(attack)
            assert time.process_time() - began < SECONDS, (name, attack[:80])


@pytest.mark.parametrize("careless", [r"(?:if|\[+)*\s*grep", r"(?:a|a)*b"])
def test_one_that_would_take_long_is_attacked(careless: str) -> None:
    """What repeats a repetition takes twice as long for each letter more."""

    def longest(length: int) -> float:
        searches = [partial(re.search, careless, each) for each in attacks(careless, 0, length)]
        return max(timeit(each, timer=time.process_time, number=1) for each in searches)

    assert longest(20) > 4 * longest(16)


_OTHERS = """
import re
compiles = re.compile
from nodeworthy.patterns import NotYet, import_with_patterns_for_later
import_with_patterns_for_later("yaml")
import yaml
assert re.compile is compiles
assert isinstance(yaml.reader.Reader.NON_PRINTABLE, NotYet)
assert yaml.safe_load("[2026-01-02, yes, 1_000, 0x1f, .5]") == yaml.safe_load("[2026-01-02, true, 1000, 31, 0.5]")
try:
    yaml.safe_load("a: \\x01")
except yaml.reader.ReaderError:
    print("refused")
"""


def test_what_others_compile_at_import_is_compiled_when_it_is_used() -> None:
    told = subprocess.run([sys.executable, "-c", _OTHERS], capture_output=True, text=True, check=False)
    assert told.stdout == "refused\n", told.stderr


def _written() -> dict[tuple[str | bytes, int], str]:
    found: dict[tuple[str | bytes, int], str] = {}
    for name in _modules():
        for called, value in vars(importlib.import_module(name)).items():
            if isinstance(value, NotYet):
                found[value._written] = f"{name}.{called}"
    return found


def _words() -> dict[tuple[str | bytes, int], tuple[str | bytes, ...]]:
    return {each._written: each._words for each in _named()}


def _named() -> list[NotYet]:
    """Those of our modules by their names, and those of the clouds' table."""
    signs = [sign for each in clouds() if (sign := each.script_sign) is not None]
    named = (value for name in _modules() for value in vars(importlib.import_module(name)).values())
    return [each for each in (*named, *signs) if isinstance(each, NotYet)]


def _letters(text: str | bytes) -> str:
    return text.decode("latin-1") if isinstance(text, bytes) else text


def _modules() -> Iterator[str]:
    house = Path(nodeworthy.__file__).parent
    for file in house.rglob("*.py"):
        if "import pattern\n" in file.read_text(encoding="utf-8"):
            yield ".".join(["nodeworthy", *file.relative_to(house).with_suffix("").parts]).removesuffix(".__init__")
