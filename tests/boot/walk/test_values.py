"""What the shell's variables hold, and what it does not claim to know."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Unit
from tests.boot.walk.told import timeline, told

KNOWN = {
    "assigned": ("A=one\nsystemctl enable $A", ["one"]),
    "exported": ("export A=one B=two\nsystemctl enable $A $B", ["one", "two"]),
    "in quotes": ('A="one"\nsystemctl enable "${A}-x"', ["one-x"]),
    "single quotes hold": ("A=one\nsystemctl enable '$A'", ["$A"]),
    "defaulted": ('systemctl enable "${A:-one}"', ["one"]),
    "set, so not defaulted": ('A=two\nsystemctl enable "${A:-one}"', ["two"]),
    "defaulted for good": (': "${A:=one}"\nsystemctl enable $A', ["one"]),
    "an alternative": ("A=x\nsystemctl enable ${A:+one}", ["one"]),
    "from the other": ("A=one\nB=$A-two\nsystemctl enable $B", ["one-two"]),
    "from echo": ("A=$(echo one | tr a-z A-Z)\nsystemctl enable $A", ["ONE"]),
    "from a file that was written": ("echo one > /etc/name\nA=$(cat /etc/name)\nsystemctl enable $A", ["one"]),
    "an array": (
        'UNITS=(one two)\nUNITS+=(three)\nfor u in "${UNITS[@]}"; do systemctl enable "$u"; done',
        ["one", "two", "three"],
    ),
    "split at blanks": ('A="one two"\nsystemctl enable $A', ["one", "two"]),
    "braces": ("systemctl enable unit-{a,b}", ["unit-a", "unit-b"]),
    "without its prefix": ("A=/opt/one\nsystemctl enable ${A##*/}", ["one"]),
    "without its suffix": ("A=one.conf\nsystemctl enable ${A%.conf}", ["one"]),
    "replaced": ("A=a_b_c\nsystemctl enable ${A//_/-}", ["a-b-c"]),
    "a function's argument": ("f() { systemctl enable $2; }\nf one two", ["two"]),
    "what is shifted": ("f() { shift; systemctl enable $1; }\nf one two", ["two"]),
    "read from a file of settings": (
        "printf 'A=%s\\n' one > /etc/settings\n. /etc/settings\nsystemctl enable $A",
        ["one"],
    ),
    "the same in both branches": ("if [ -e /x ]; then A=one; else A=one; fi\nsystemctl enable $A", ["one"]),
    "printf -v": ("printf -v A '%s-%s' one two\nsystemctl enable $A", ["one-two"]),
    "for this command only": ("A=one\nA=two true\nsystemctl enable $A", ["one"]),
    "in a subshell only": ("A=one\n(A=two)\nsystemctl enable $A", ["one"]),
    "in a substitution only": ("A=one\nB=$(A=two; echo $A)\nsystemctl enable $A $B", ["one", "two"]),
    "local": ("A=one\nf() { local A=two; systemctl enable $A; }\nf\nsystemctl enable $A", ["two", "one"]),
    "declared in a function": ("A=one\nf() { declare A; A=two; }\nf\nsystemctl enable $A", ["one"]),
    "declared for all": ("A=one\nf() { declare -g A=two; }\nf\nsystemctl enable $A", ["two"]),
    "declared again": ("A=one\ndeclare -r A\nsystemctl enable $A", ["one"]),
    "joined by IFS": (
        'join() { local IFS="$1"; shift; echo "$*"; }\nsystemctl enable "$(join , a b)" "$(join - a b)"',
        ["a,b", "a-b"],
    ),
    "joined by blanks for all that": ('IFS=,\nA=(a b)\nB="${A[@]}"\nsystemctl enable "$B" "${A[*]}"', ["a b", "a,b"]),
    "split at IFS": ("IFS=$',\\n'\nA='one two,three'\nsystemctl enable $A", ["one two", "three"]),
    "not split": ("IFS=\nA='one two'\nsystemctl enable $A", ["one two"]),
    "from the second on": (
        'f() { systemctl enable "${@:2}"; }\nf one two three\nA=(a b c)\nsystemctl enable "${A[@]:1:1}"',
        ["two", "three", "b"],
    ),
    "how many there are": ('A=("$(ls /units)" two)\nsystemctl enable x${#A[@]} ${A[1]}', ["x2", "two"]),
    "each of them replaced": ('A=(a-x b-x)\nsystemctl enable "${A[@]%-x}"', ["a", "b"]),
    "by a number that is known": ("A=(a b c)\ni=1\nsystemctl enable ${A[$i]} ${A[i+1]} ${A[-1]}", ["b", "c", "c"]),
}

UNKNOWN = {
    "from a command": ("A=$(curl -s http://169.254.169.254/latest/meta-data/instance-id)\nsystemctl enable $A", "curl"),
    "never set": ("systemctl enable $A", "A is set nowhere"),
    "from a file that nobody wrote": (". /etc/os-release\nsystemctl enable $ID", "/etc/os-release"),
    "an element by its name": ("declare -A A=([x]=one [y]=two)\nsystemctl enable ${A[y]}", "not followed"),
    "by a number that is not known": ("A=(a b)\nsystemctl enable ${A[$i]}", "only when the script runs"),
    "how many a command prints": ("A=($(ls /units))\nsystemctl enable x${#A[@]}", "known"),
    "how many files there are": ("A=(/units/*.service)\nsystemctl enable x${#A[@]}", "known"),
    "the second of what a command prints": ("A=($(ls /units))\nsystemctl enable ${A[1]}", "known"),
    "the one behind what a command prints": ("A=($(ls /units))\nA+=(one)\nsystemctl enable ${A[1]}", "known"),
    "from the second on of what a command prints": ("A=($(ls /u))\nsystemctl enable ${A[@]:1}", "known"),
    "how many a copy has": ('A=($(ls /units))\nB=("${A[@]}" b)\nsystemctl enable x${#B[@]}', "known"),
    "another name of a variable": ("f() { local -n A=$1; systemctl enable $A; }\nB=one\nf B", "another name of"),
    "the home that cloud-init does not set": ("systemctl enable x$HOME", "cloud-init sets no HOME"),
    "read": ("read -r A < /etc/name\nsystemctl enable $A", "read by"),
    "reckoned": ("A=$((RANDOM + 1))\nsystemctl enable $A", "reckoned"),
    "a template's": ("systemctl enable ${name}", "template"),
}


def units(script: str, *, template: bool = False) -> list[Unit]:
    return list(timeline(script, template=template).of(Unit))


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known(name: str) -> None:
    script, expected = KNOWN[name]
    found = [(each.unit.known or "").removesuffix(".service") for each in units(script)]
    assert found == expected


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_known_says_why(name: str) -> None:
    script, why = UNKNOWN[name]
    (unit,) = units(script, template=name == "a template's")
    assert unit.unit.known is None
    assert why in unit.unit.why


@pytest.mark.parametrize("script", ["if [ -e /x ]; then A=one; else A=two; fi", "A=one\nif [ -e /x ]; then A=two; fi"])
def test_what_branches_set_is_walked_with_each_of_both(script: str) -> None:
    found = {each.unit.known: each.conditions[-1].answer for each in units(f"{script}\nsystemctl enable $A")}
    assert found == {"one.service": "one", "two.service": "two"}


def test_which_program_it_is_may_be_unknown() -> None:
    assert told("$TOOL install nvidia-driver") == [
        "? the program here is $TOOL, and TOOL is set nowhere in this script: $TOOL install nvidia-d…"
    ]


def test_who_has_to_be_root_gives_arguments_too() -> None:
    options = (
        'IP=""\nwhile [[ $# -gt 0 ]]; do\n  case $1 in\n    --ip) IP="$2"; shift 2 ;;\n    *) exit 1 ;;\n  esac\ndone\n'
    )
    asks = 'if [ "$EUID" -ne 0 ]; then exit 1; fi\nif [ -z "$IP" ]; then exit 1; fi\n'
    assert told(f"{options}{asks}systemctl enable kubelet") == ['enables kubelet.service if not: [ -z "$IP" ]']


def test_what_ends_without_what_its_caller_sets_is_read_with_it() -> None:
    asks = 'case "${kind:-}" in\n  a) systemctl enable a ;;\n  *) exit 1 ;;\nesac\n'
    (first, second) = told(f"{asks}systemctl enable b")
    assert (first.split(" if ")[0], second.split(" if ")[0]) == ("enables a.service", "enables b.service")


def test_what_refuses_root_is_run_by_somebody_else() -> None:
    refuses = 'if [ "$EUID" -eq 0 ]; then echo "not as root"; exit 1; fi\n'
    assert told(f"{refuses}sudo systemctl enable kubelet") == ["enables kubelet.service"]
    asks = 'if [ "$EUID" -ne 0 ]; then echo "as root"; exit 1; fi\n'
    assert told(f"{asks}make all\nmake install", runs=True) == ["runs make all", "runs make install"]
