"""Words taken apart, with the places of their parts."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from nodeworthy.boot.shell.syntax import (
    Arithmetic,
    Assignment,
    Command,
    Declaration,
    Literal,
    Parameter,
    Substitution,
    Word,
)
from tests.boot.shell.reading import command, one, plain, statements


def word(text: str) -> Word:
    return command(f"c {text}").words[1]


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "a'b c'd",
        '"x  y"',
        r"\a\ b\\",
        r'"\a \\ \" \$x \` "',
        "'a\nb'",
        "a\\\nb",
        '"a\\\nb"',
        r"$'a\tb\x41\101\u00e9\n\'\"\\'",
        "''",
        '""',
        "é'日本'",
        "a=b",
        "#x",
        "x#y",
        "--opt='a b'\"c\"",
        "'$x `y` ${z}'",
        r"\#",
        "{a..c}x\\{",
    ],
)
def test_what_is_quoted_is_what_bash_hands_on(text: str) -> None:
    if text == "#x":
        assert len(command(f"c {text}").words) == 1
        return
    given = plain(word(text))
    if shutil.which("bash") and "{a.." not in text:
        said = subprocess.run(["bash", "-c", f"printf %s {text}"], capture_output=True, check=True).stdout
        assert given == said.decode()


def test_parts_of_a_string() -> None:
    parts = word('"a $x ${y:-"d e"} $(f "g") `h` $((1 + 2)) "').parts
    assert parts[0] == Literal("a ", quoted=True)
    assert [type(part) for part in parts if not isinstance(part, Literal)] == [
        Parameter,
        Parameter,
        Substitution,
        Substitution,
        Arithmetic,
    ]
    assert all(getattr(part, "quoted", True) for part in parts)
    assert parts[-1] == Literal(" ", quoted=True)


@pytest.mark.parametrize(
    ("text", "name", "operator", "argument", "index"),
    [
        ("$x", "x", "", None, None),
        ("${x}", "x", "", None, None),
        ("$1", "1", "", None, None),
        ("${10}", "10", "", None, None),
        ("$@", "@", "", None, None),
        ("${x:-a b}", "x", ":-", "a b", None),
        ("${x-}", "x", "-", "", None),
        ("${x:=y}", "x", ":=", "y", None),
        ("${x:?no x}", "x", ":?", "no x", None),
        ("${x%%.*}", "x", "%%", ".*", None),
        ("${x##*/}", "x", "##", "*/", None),
        ("${x//a/b}", "x", "//", "a/b", None),
        ("${x/a}", "x", "/", "a", None),
        ("${x^^}", "x", "^^", "", None),
        ("${x:1:2}", "x", ":", "1:2", None),
        ("${#x}", "x", "length", None, None),
        ("${#x[@]}", "x", "length", None, "@"),
        ("${!x}", "x", "!", None, None),
        ("${x[@]}", "x", "", None, "@"),
        ("${x[$i]:-z}", "x", ":-", "z", "$i"),
        ("${#}", "#", "", None, None),
        ("${x@Q}", "x", "@", "Q", None),
    ],
)
def test_parameters(text: str, name: str, operator: str, argument: str | None, index: str | None) -> None:
    (part,) = word(text).parts
    assert isinstance(part, Parameter)
    given = part.argument.raw if part.argument else None
    assert (part.name, part.operator, given, part.index, part.raw) == (name, operator, argument, index, text)


def test_a_default_holds_words_of_its_own() -> None:
    (part,) = word('${a:-"$(b c)"}').parts
    assert isinstance(part, Parameter)
    assert part.argument is not None
    assert isinstance(part.argument.parts[0], Substitution)


def test_substitutions_hold_statements() -> None:
    (part,) = word("$(a | b; c)").parts
    assert isinstance(part, Substitution)
    assert [each.line for each in part.body] == [1, 1]
    (escaped,) = word(r"`a \`b c\` \$d`").parts
    assert isinstance(escaped, Substitution)
    (inner,) = escaped.body
    assert isinstance(inner, Command)
    assert isinstance(inner.words[1].parts[0], Substitution)
    assert inner.words[2].parts == (Parameter("d", "$d"),)
    assert [part.direction for part in word("<(a)").parts if isinstance(part, Substitution)] == ["<"]


def test_places_count_characters() -> None:
    first, second = statements('echo "grüße 日本" $x\n  é y "$(a\n b)" z\n')
    assert isinstance(first, Command)
    assert isinstance(second, Command)
    assert [(each.line, each.column) for each in first.words] == [(1, 1), (1, 6), (1, 17)]
    assert [(each.line, each.column) for each in second.words] == [(2, 3), (2, 5), (2, 7), (3, 6)]
    (part,) = second.words[2].parts
    assert isinstance(part, Substitution)
    assert [(each.line, each.column) for each in part.body if isinstance(each, Command)] == [(2, 10), (3, 2)]


def test_assignments() -> None:
    read = command('A= B=$x C+=1 d[2]="y" cmd E=3')
    assert [(each.name, each.appends, each.index) for each in read.assignments] == [
        ("A", False, None),
        ("B", False, None),
        ("C", True, None),
        ("d", False, "2"),
    ]
    assert [each.raw for each in read.words] == ["cmd", "E=3"]
    value = read.assignments[3].value
    assert value is not None
    assert (value.raw, value.column) == ('"y"', 19)


def test_arrays() -> None:
    (assignment,) = command('a+=(b "c d" $e # f )\n g)').assignments
    assert assignment.value is None
    assert assignment.appends
    assert [(each.raw, each.line) for each in assignment.items] == [("b", 1), ('"c d"', 1), ("$e", 1), ("g", 2)]


def test_declarations() -> None:
    read = one('export -x A=1 B "C=$d" E=(f g)')
    assert isinstance(read, Declaration)
    assert read.names == ("B",)
    given = {each.name: each for each in read.assignments}
    assert sorted(given) == ["A", "C", "E"]
    value = given["C"].value
    assert value is not None
    assert (value.parts, value.line, value.column) == ((Parameter("d", "$d", quoted=True),), 1, 20)
    assert value.raw == '$d"'
    assert [each.raw for each in given["E"].items] == ["f", "g"]
    assert isinstance(given["A"], Assignment)


def test_redirects() -> None:
    read = command("a 2>/dev/null >>f b <&3 &>g 2>&1 {fd}>h")
    assert [(each.operator, each.descriptor) for each in read.redirects] == [
        (">", 2),
        (">>", None),
        ("<&", None),
        ("&>", None),
        (">&", 2),
        (">", None),
    ]
    assert [each.raw for each in read.words] == ["a", "b"]
