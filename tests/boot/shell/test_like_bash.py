"""What can't be read is what `bash -n` refuses, in its words and on its line: on every script, and on broken ones."""

from __future__ import annotations

import pytest

from tests.boot.shell.bash_says import bash_says, broken_scripts, scripts, we_say

REFUSED = [
    "echo a\nif true; then\n echo x\n",
    'echo "abc\nfoo\nbar\n',
    'echo "abc\nfoo"\nbar "\nx\n\n',
    "echo 'abc\nfoo",
    "echo $(ls\nfoo\n",
    "echo ${a\nfoo\n",
    "echo `a\nfoo\n",
    "echo $((1+2)\nfoo\n",
    "((1+2)\nfoo\n",
    "if true; then\n fi\n",
    "fi\n",
    "for x in a b\necho\ndone\n",
    "for ((i=0;i<3)); do :; done\n",
    "case x in\n a) echo;\n",
    "f() \necho x\n",
    "a=(1 2\nfoo\n",
    "a=(1 & 2)\n",
    "[[ a b ]]\nfoo\n",
    "[[ -f && a ]]\n",
    "[[ -z ]]\n",
    "[[ -n\n$a ]]\n",
    "[[ -f == x ]]\n",
    "[[ a == b ; ]]\n",
    "echo a &&\n",
    "echo a | | b\n",
    "echo (a)\n",
    "a b()\n",
    "x=1 (echo)\n",
    "{ echo a\n",
    "{ echo a; } b\n",
    "echo a; ; b\n",
    "echo a >\nfoo\n",
    "echo a > 2>&1\n",
    "while true; do\necho $(if x; then)\ndone\n",
    "if [ x ] then\n echo\nfi\n",
    'echo "${x:-it\'s}"\n',
    "x=$(\n if true; then\n echo\n)\n",
    "echo a | ! b\n",
    "]]\n",
]

READ = [
    "cat <<EOF\nabc\n",
    "cat <<-'A B'\n\tit's\n\tA B\necho\n",
    "cat <<A <<B\n(\nA\n)\nB\necho\n",
    "x=$(cat <<EOF\nit's (\nEOF\n)\n",
    "if [[ a ]] then :; fi\nif ((1)) then :; fi\nif (true) then :; fi\n",
    "for ((i=0; i<3; i++)) { echo $i; }\n",
    "for x do echo; done; select y in a; do break; done\n",
    "case x in a|b) echo;; (esac) ;; *) ;& esac\n",
    "function f { :; }; function g() (:); h() if true; then :; fi > x\n",
    "[[ $a =~ ^(a|b)$ && ! -f c || ( d == @(x|y) ) ]]\n",
    "[[ -n a &&\n$a ]]; [[\n! b ]]; [[ -f == ]]; [[ -z -a ]]\n",
    "export a[[b=c; declare -A m=([b]=1 [c <<]=2)\n",
    "echo a#b # it's\n#'\n",
    "echo `echo it's`\n",
    "a[1 + 2]=3; declare -A m=([a b]=c\n # it's\n d)\n",
    "echo $'it\\'s' $\"x\" $[1+(2)] $$'a'\n",
    "{ echo }; }; echo }; echo if then fi\n",
    "time -p ls; ! ; time\n",
    "coproc { :; }; coproc N { :; }; coproc ls\n",
    "( (echo a); echo b ); ((echo a); echo b)\n",
    "2>&1 echo >&2 {fd}>x <&- &>y >|z <(ls) >(cat) <<<w\n",
    'echo ${a#"\'"} ${b/\'}\'/x} "${c:-"d"}" ${#e} ${f:-`g`}\n',
    "echo \\\nif; x=if\n",
    "if [[ a =\\\n b ]]; then c; fi\\\n\n",
    "for a in b; do\\\n c; done\\\n\n[[ ! \\\n -f\\\n d ]\\\n] && e\n",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_bash_refuses(text: str) -> None:
    assert we_say(text) is not None
    assert we_say(text) == bash_says(text)


@pytest.mark.parametrize("text", READ)
def test_what_bash_reads(text: str) -> None:
    assert we_say(text) is None
    assert bash_says(text) is None


def test_a_sample_of_the_scripts_of_the_tests() -> None:
    sample = scripts()[::12]
    assert len(sample) > 20
    assert [each for each in sample if we_say(each) != bash_says(each)] == []


def test_a_sample_of_broken_scripts() -> None:
    _agree(list(broken_scripts(20, 150)), 1)


# The whole is `make test-long`'s, and what takes minutes `make test-night`'s.
def test_whole_every_script_of_the_tests() -> None:
    assert [each for each in scripts() if we_say(each) != bash_says(each)] == []


@pytest.mark.night
def test_whole_three_thousand_broken_scripts() -> None:
    _agree(list(broken_scripts(7, 3000)), 12)


def _agree(texts: list[str], most_otherwise: int) -> None:
    """Whether a script can be read, always, but of what is in no case a script; and the words and the line, nearly so."""
    said = [(bash_says(each), we_say(each)) for each in texts]
    refused = [(theirs, ours) for theirs, ours in said if theirs is not None]
    assert len(refused) > len(texts) // 8
    assert [ours for theirs, ours in said if theirs is None and ours is not None] == []
    assert len([ours for _, ours in refused if ours is None]) <= len(texts) // 1000
    assert len([ours for theirs, ours in refused if theirs != ours]) <= most_otherwise
