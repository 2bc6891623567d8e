"""What is skipped without a look at the grammar, and that nothing else is said because of it."""

from __future__ import annotations

import random

import pytest

from nodeworthy.boot.shell.strict import grammar
from nodeworthy.boot.shell.strict.plain_lines import behind_plain_lines, behind_plain_words
from nodeworthy.boot.shell.strict.reading import Broken, why_unreadable

SKIPPED = (
    "dnf install -y nvidia-driver\n",
    "# don't\n\n  echo a # it's\n",
    'a=1 b=\'x y\' c "$d ${e:-f} \\" $" > /dev/null 2>&1\n',
    "a && b ||\n  c | d; e &\n",
    "a \\\n  if\n",
    "[ -f x ] && y\n",
)
READ = (
    "if a\n",
    "a && then\n",
    "a; }\n",
    "a | ! b\n",
    "f() { a; }\n",
    "f ()\n",
    "a=(b)\n",
    "a[1 2]=b\n",
    "a $(b)\n",
    "a `b`\n",
    'a "$(b)"\n',
    "a 'b\n",
    'a "b\n',
    "a <<EOF\n",
    "a <(b)\n",
    "a >2> b\n",
    "a > {b}> c\n",
    "a > > b\n",
    "a ;;\n",
    "a ; ; b\n",
    "a !(b)\n",
    "a",
)
PIECES = (
    "' \" ` $( ) ( { } then fi do done if ;; ; & && | || \n <<EOF\n EOF\n \\ \\\n # [[ ]] (( )) case esac in > < 2>&1 >2> $ ${ A=( a[1 "
    "time ! function export !( $["
).split(" ")
LINES = (
    "echo a b\n",
    "if x; then\n",
    "else\n",
    "fi\n",
    "for i in a b; do\n",
    "done\n",
    "case $x in a) b ;; esac\n",
    "f() { x; }\n",
    "cat <<EOF\nx\nEOF\n",
    "A=(a\nb)\n",
    "export A=1 B=2\n",
    "[[ a == b ]] && c > d\n",
    "x=$(a b)\n",
    "a | b \\\n c\n",
    "foo bar # x\n",
    "shopt -s extglob\n",
)


@pytest.mark.parametrize("text", SKIPPED)
def test_plain_lines_are_skipped(text: str) -> None:
    assert behind_plain_lines(text, 0) == (len(text), True)


@pytest.mark.parametrize("text", READ)
def test_what_may_be_more_is_read(text: str) -> None:
    assert behind_plain_lines(f"a\n{text}", 0) == (2, True)


def test_a_comment_is_no_command() -> None:
    assert behind_plain_lines("\n  # a\n\n", 0) == (8, False)


@pytest.mark.parametrize(
    ("text", "rest"), [(" b 'c d' $e; f", "; f"), (" b c=(d)", " c=(d)"), (" b 2>c", " 2>c"), (" b # c", " # c")]
)
def test_words_end_where_something_else_begins(text: str, rest: str) -> None:
    assert text[behind_plain_words(text, 0) :] == rest


def test_it_says_what_the_grammar_says_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(23)
    texts = [damaged(source) for _ in range(1500)]
    said = [why_unreadable(each) for each in texts]
    monkeypatch.setattr(grammar, "behind_plain_lines", lambda _text, at: (at, False))
    monkeypatch.setattr(grammar, "behind_plain_words", lambda _text, at: at)
    for text, ours in zip(texts, said, strict=True):
        assert ours == why_unreadable(text), text
    assert 400 < sum(each is not None for each in said) < 1450


def damaged(source: random.Random) -> str:
    text = "".join(source.choices(LINES, k=source.randrange(1, 9)))
    for _ in range(source.randrange(4)):
        at = source.randrange(len(text) + 1)
        text = text[:at] + source.choice(PIECES) + text[at + source.randrange(3) :]
    return text


@pytest.mark.parametrize("before", ["echo a\n", "if a; then b; fi\n"])
def test_what_stands_before_is_run_where_not_even_a_word_can_be_read(before: str) -> None:
    text = f"{before}\n'b\n"
    assert why_unreadable(text) == Broken(
        "unexpected EOF while looking for matching `''", 3, 3, len(before) + 1, len(text)
    )
