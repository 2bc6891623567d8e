"""What the shell's own reader takes for readable without asking how bash reads it: bash has to agree."""

from __future__ import annotations

import random

import pytest

from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.shell.parse import parse
from nodeworthy.boot.shell.strict import reading
from nodeworthy.boot.shell.strict.reading import why_broken, why_unreadable
from nodeworthy.boot.unpack import unpack
from nodeworthy.verdict import Place
from tests.boot.shell.bash_says import broken_scripts, scripts
from tests.boot.shell.test_plain_lines import damaged

# Each is read by us, and refused by bash.
REFUSED = (
    "; a\n",
    "a; ; b\n",
    "a & ; b\n",
    "if a; then ; b; fi\n",
    "if a; then { b; } > c fi\n",
    "a | ! b\n",
    "a && in\n",
    "]]\n",
    "f() echo a\n",
    "for x\n; do a; done\n",
    "echo a=(b)\n",
    "> a b=(c)\n",
    "a=(b & c)\n",
    "a=(b [c)\n",
    "a[b c\n",
    "[[ -f ]]\n",
    "[[ a b ]]\n",
    "[[ a ; ]]\n",
    "[[ -z == b ]]\n",
    'echo "${a:-it\'s}"\n',
    "echo @(a|b)\n",
    "echo $((a b)\n",
    "echo $(( $(if) ))\n",
    "echo ${a[$(if)]}\n",
    "a >>(b)\n",
    "cat <<2>&1a\n2\n",
    "cat <<a\nb \\\na\nc (\na\n",
    "a=(b)#$(c\n",
)
# And what nobody has to ask about, because a script is made of it.
READ = (
    "if ! a -b 'c' \"$d\" 2>&1; then e; elif f; then g; else h; fi\n",
    "for a in b $c; do d && e || f & done\n",
    "while read -r a; do b; done < c\n",
    "case $a in b | c*) d ;; (e) ;; *) f; esac\n",
    "f() {\n  local a=$1\n  return 1\n}\nfunction g { f; }\n",
    "a=(b 'c d' [1]=$e)\nb+=(c)\ndeclare -A d=([e]=f)\n",
    "[[ ! -f a && $b == c* || -n ${d:-} ]] && e\n",
    'a=$(b "$(c | d)" ${e:-f}) g `h` $((i + 1))\n',
    "cat > a <<'EOF' | b\nit's (\nEOF\n(a; { b; })\n",
    "diff <(a) <(b)\n",
)


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_be_more_is_asked_about(text: str) -> None:
    assert why_unreadable(text) is not None
    assert not parse(text).is_readable


@pytest.mark.parametrize("text", READ)
def test_what_scripts_are_made_of_is_not(text: str) -> None:
    assert why_unreadable(text) is None
    assert parse(text).is_readable


def test_nothing_that_bash_refuses() -> None:
    source = random.Random(29)
    texts = [*scripts()[::6], *broken_scripts(31, 300), *(damaged(source) for _ in range(1500))]
    readable = [each for each in texts if parse(each).is_readable]
    assert len(readable) > 300
    assert [each for each in readable if why_unreadable(each) is not None] == []


@pytest.mark.night
def test_whole_nothing_that_bash_refuses() -> None:
    source = random.Random(37)
    texts = [*scripts(), *broken_scripts(41, 6000), *(damaged(source) for _ in range(40_000))]
    assert [each for each in texts if parse(each).is_readable and why_unreadable(each) is not None] == []


def test_a_script_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a rule asks of it again."""
    monkeypatch.setattr(reading, "why_unreadable", _asked)
    text = "#!/bin/bash\nsystemctl enable --now kubelet # once\n"
    timeline_of(unpack(text.encode(), Place("user-data.sh")))
    assert why_broken(text) is None


def _asked(text: str) -> None:
    raise AssertionError(text)
