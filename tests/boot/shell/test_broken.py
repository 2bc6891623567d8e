"""What is no shell stays as small as it can, and nothing at all makes the reader fail."""

from __future__ import annotations

import itertools
import os
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodeworthy.boot.shell.parse import parse
from nodeworthy.boot.shell.syntax import Broken, Command, If
from tests.boot.shell.reading import every, raws, statements
from tests.by_day import some
from tests.work import calls

SCRIPT = """\
set -euo pipefail
for i in 1 2 3; do
  curl -fsSL "https://example.com/$i" -o "/tmp/$i" && break || sleep $((i * 2))
done
cat <<'EOF' | tee /etc/x.conf > /dev/null
[x]
EOF
case "$(uname -m)" in
  x86_64 | amd64) a=b ;;
  *) exit 1 ;;
esac
if [[ -f /etc/x.conf && ! -d "$HOME" ]]; then echo "it's `date`"; fi
"""
# What takes this long has no end; how fast it is, bench/ says.
HANGS = 60

PIECES = """( ) $( ${a:- { } " ' ` \\ if then else fi for in do done while case esac ;; ; & && | || ! [[ ]] [ ]
(( )) $(( <<A A <<-B B <<< > >> 2>&1 # \n \t a=( x=1 $x f() function é \0 \r %{if %{endif} ${x} $${y} } @( =~ time""".split(
    " "
)


def test_a_stray_closer_is_broken_alone() -> None:
    read = statements("a\nfi\nb\n")
    assert [type(each) for each in read] == [Command, Broken, Command]


def test_an_unclosed_if_keeps_what_is_inside() -> None:
    first, broken = statements("a\nif b; then\n  c\n  d\n")
    assert isinstance(first, Command)
    assert isinstance(broken, Broken)
    assert (broken.line, [each.raw for each in broken.inside if isinstance(each, Command)]) == (2, ["b", "c", "d"])


def test_an_unclosed_loop_inside_of_a_function_that_is_closed() -> None:
    assert raws("f() {\n  while a; do\n    b\n}\nc\n") == ["a", "b", "c"]


def test_a_wrong_command_in_a_branch_leaves_the_branch_whole() -> None:
    (read,) = statements("if a; then\n  b ) c\n  d\nfi\n")
    assert isinstance(read, If)
    assert [type(each) for each in read.branches[0].body] == [Broken, Command]


def test_an_unclosed_quote_takes_its_line_only() -> None:
    first, broken, last = statements("a\necho \"b c\nd 'e'\n")
    assert isinstance(broken, Broken)
    assert (broken.text, broken.line) == ('echo "b c', 2)
    assert [each.raw for each in (first, last) if isinstance(each, Command)] == ["a", "d 'e'"]


def test_what_was_read_of_an_unclosed_substitution_is_not_guessed() -> None:
    read = statements("x=$(a\nb\nc 'd'\n")
    assert isinstance(read[0], Broken)
    assert raws("x=$(a\nb\nc 'd'\n") == ["b", "c 'd'"]


@pytest.mark.parametrize(("each", "template"), some([*itertools.product(PIECES, (False, True))], 30, repr))
def test_very_many_of_anything(each: str, template: bool) -> None:
    for text in (each * (8_000 // len(each or " ")), f"{each} " * 2_000, f"{each}\n" * 2_000):
        begins = time.process_time()
        parse(text, template=template)
        assert time.process_time() - begins < HANGS


@pytest.mark.parametrize("seed", range(60))
def test_pieces_in_any_order(seed: int) -> None:
    chosen = random.Random(seed)
    text = " ".join(chosen.choice(PIECES) for _ in range(400))
    parse(text)
    parse(text.replace(" ", ""), template=True)


@pytest.mark.parametrize("seed", range(60))
def test_a_script_with_pieces_missing(seed: int) -> None:
    chosen = random.Random(seed)
    start = chosen.randrange(len(SCRIPT))
    text = SCRIPT[:start] + chosen.choice(PIECES) + SCRIPT[start + chosen.randrange(4) :]
    lines = text.split("\n")
    commands = [each for each in every(statements(text), Command) if isinstance(each, Command)]
    assert commands, "one fault has blinded the whole script"
    for each in commands:
        first = each.raw.split("\n")[0]
        assert lines[each.line - 1][each.column - 1 :].startswith(first), each


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.sampled_from("(){}[]<>$\"'`\\;&|!# \n\tab=1-*%~é\0\r\ue000\ue001\ue002\ud800"), max_size=60))
def test_any_text_at_all(text: str) -> None:
    parse(text)
    parse(text, template=True)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["a", "b c", "'d'", '"$e"']), min_size=1, max_size=6), st.sampled_from(["\n", "; "]))
def test_every_command_is_read_where_it_stands(commands: list[str], between: str) -> None:
    text = between.join(commands)
    lines = text.split("\n")
    read = [each for each in statements(text) if isinstance(each, Command)]
    assert [each.raw for each in read] == commands
    assert all(lines[each.line - 1].startswith(each.raw, each.column - 1) for each in read)


@pytest.mark.skipif("NODEWORTHY_COMPILED" in os.environ, reason="what is compiled makes no calls that can be counted")
def test_eight_times_the_script_is_eight_times_the_work() -> None:
    parse(SCRIPT)  # what is made once, such as patterns, is there
    assert calls(lambda: parse(SCRIPT * 400)) < 8.5 * calls(lambda: parse(SCRIPT * 50))
