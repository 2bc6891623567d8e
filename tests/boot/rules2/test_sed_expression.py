"""What a substitution of sed looks for."""

from __future__ import annotations

import pytest

from nodeworthy.facts.registry.config_path import Substitution


@pytest.mark.parametrize(
    ("expression", "line", "finds"),
    [
        ("s/a = false/a = true/", "   a = false", True),
        ('s|path = ""|path = "/x"|g', "path = ''", False),
        (r"s#\(path = \)\"\"#\1x#", 'path = ""', True),
        ("s/path = .*/path = x/", "path = ''", True),
        ("/registry]/,/path/ s/path = ''/path = 'x'/", "   path = ''", True),
        (r"s/^\s*path\s*=.*/x/", "      path = 1", True),
        ("s/^[[:space:]]*path/x/", "      path = 1", True),
        (r"s/a\/b/c/", "a/b", True),
        ("s/(/x/", "f(1)", True),
        ("s/[/x/", "s/[/", True),
    ],
)
def test_it_finds(expression: str, line: str, finds: bool) -> None:
    substitution = Substitution.in_expression(expression)
    assert substitution is not None
    assert substitution.fits(line) is finds


@pytest.mark.parametrize("expression", ["/x/d", "$ a line", "y/abc/xyz/", "s/only one part"])
def test_no_substitution(expression: str) -> None:
    assert Substitution.in_expression(expression) is None


def test_what_it_puts_in() -> None:
    substitution = Substitution.in_expression("s|a|b/c|")
    assert substitution == Substitution("a", "b/c")
