"""What tests ask."""

from __future__ import annotations

import pytest

from nodeworthy.boot.shell import syntax
from nodeworthy.boot.shell.syntax import Binary, Both, Negated, Opaque, Redirected, TestExpression, Unary, Word
from tests.boot.shell.reading import one


def asked(text: str) -> str:
    statement = one(text)
    assert isinstance(statement, syntax.Test)
    return shown(statement.expression)


def shown(expression: TestExpression) -> str:
    match expression:
        case Word():
            return expression.raw
        case Unary():
            return f"({expression.operator} {expression.operand.raw})"
        case Binary():
            return f"({expression.left.raw} {expression.operator} {expression.right.raw})"
        case Both():
            return f"({shown(expression.left)} {expression.operator} {shown(expression.right)})"
        case Negated():
            return f"(! {shown(expression.expression)})"
        case Opaque():
            return "?"


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("[ -f x ]", "(-f x)"),
        ("test -d x", "(-d x)"),
        ('[ "$a" = b ]', '("$a" = b)'),
        ("[ $a ]", "$a"),
        ("[ ! -f x ]", "(! (-f x))"),
        ("[ a = b -a -f c -o d ]", "(((a = b) && (-f c)) || d)"),
        ("[ \\( a -o b \\) -a c ]", "((a || b) && c)"),
        ("[ -n ]", "-n"),
        ("[ ]", "?"),
        ("[ -f = -f ]", "(-f = -f)"),
        ("[ a \\< b ]", "(a < b)"),
        ("[ $n -ge 5 ]", "($n -ge 5)"),
        ("[[ -f x && $a == b* || ! -d y ]]", "(((-f x) && ($a == b*)) || (! (-d y)))"),
        ("[[ ( a || b ) && c ]]", "((a || b) && c)"),
        ("[[ $x =~ ^a(b|c d)$ && -z $y ]]", "(($x =~ ^a(b|c d)$) && (-z $y))"),
        ("[[ $x =~ ^[[:digit:]]+$ ]]", "($x =~ ^[[:digit:]]+$)"),
        ('[[ "a b" != *c* ]]', '("a b" != *c*)'),
        ("[[ a < b ]]", "(a < b)"),
        ("[[ -v x ]]", "(-v x)"),
        ("(( a > 1 ))", "?"),
        ("[ a b c d e ]", "?"),
    ],
)
def test_expressions(text: str, meaning: str) -> None:
    assert asked(text) == meaning


def test_a_test_with_a_redirect() -> None:
    statement = one("[ -f x ] 2>/dev/null")
    assert isinstance(statement, Redirected)
    assert isinstance(statement.statement, syntax.Test)


def test_brackets_that_are_words() -> None:
    assert not isinstance(one("echo [ a ]"), syntax.Test)
    assert not isinstance(one("echo [[ a ]]"), syntax.Test)
