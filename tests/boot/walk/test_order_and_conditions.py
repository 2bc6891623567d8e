"""What happens, in which order, under which condition."""

from __future__ import annotations

import pytest

from tests.boot.walk.told import told

CASES = {
    "one after the other": (
        "modprobe nvidia\nsystemctl enable kubelet",
        ["may load the module nvidia: modprobe loads it", "enables kubelet.service"],
    ),
    "under a condition": (
        "if [ -e /dev/nvidia0 ]; then\n  systemctl enable kubelet\nfi\nsystemctl enable other",
        ["enables kubelet.service if [ -e /dev/nvidia0 ]", "enables other.service"],
    ),
    "otherwise": (
        "if lspci | grep -q NVIDIA; then systemctl enable a; else systemctl enable b; fi",
        ["enables a.service if lspci | grep -q NVIDIA", "enables b.service if not: lspci | grep -q NVIDIA"],
    ),
    "a chain of conditions": (
        'if [ "$X" = a ]; then systemctl enable a; elif [ "$X" = b ]; then systemctl enable b; else systemctl enable c; fi',
        [
            'enables a.service if [ "$X" = a ]',
            'enables b.service if not: [ "$X" = a ] and [ "$X" = b ]',
            'enables c.service if not: [ "$X" = a ] and not: [ "$X" = b ]',
        ],
    ),
    "a condition that is known": (
        'MODE=gpu\nif [ "$MODE" = gpu ]; then systemctl enable a; else systemctl enable b; fi',
        ["enables a.service"],
    ),
    "who is not root leaves": (
        'if [ "$(id -u)" -ne 0 ]; then exit 1; fi\n[[ $EUID -eq 0 ]] || exit 1\nsystemctl enable a',
        ['enables a.service if not: [ "$(id -u)" -ne 0 ]'],
    ),
    "who is given no arguments leaves, and with them does its work": (
        'if [ -z "$1" ]; then echo "usage: add NODE"; exit 1; fi\nsystemctl enable a',
        ['enables a.service if not: [ -z "$1" ]'],
    ),
    "it counts its arguments": (
        '[ $# -eq 2 ] || { echo "usage: add NODE POOL"; exit 2; }\nsystemctl enable a',
        ["enables a.service if [ $# -eq 2 ]"],
    ),
    "who needs no arguments has none": (
        'if [ -z "$1" ]; then systemctl enable a; else systemctl enable b; fi',
        ["enables a.service"],
    ),
    "a reckoning that is known": (
        "((EUID == 0)) || exit 1\nN=3\nif (( N > 2 )); then systemctl enable a; fi",
        ["enables a.service"],
    ),
    "who leaves early decides what follows": (
        "if [ -e /etc/done ]; then exit 0; fi\nsystemctl enable a",
        ["enables a.service if not: [ -e /etc/done ]"],
    ),
    "who is told nothing leaves, and with what he wants, one after another, does his work": (
        'NODE=""\nPOOL=${POOL:-}\n[ -n "$NODE" ] || exit 1\n[ -n "$POOL" ] || exit 1\nsystemctl enable a',
        ['enables a.service if [ -n "$NODE" ] and [ -n "$POOL" ]'],
    ),
    "what a loop waits for comes, and the exit behind it is for bad luck": (
        "ready() {\n  for n in 1 2 3; do if nc -z $1 22; then return 0; fi; sleep 1; done\n  exit 1\n}\n"
        "ready node\nsystemctl enable a",
        ["enables a.service"],
    ),
    "who only leaves a loop has not left its function, and the exit behind it ends all": (
        'given_up() {\n  while read -r each; do [ -e "$each" ] && break; done < /etc/list\n  exit 1\n}\n'
        "given_up\nsystemctl enable a",
        [],
    ),
    "who gives up in the last round went on in one before": (
        'again() {\n  n=1\n  while true; do\n    "$@" && break\n'
        "    if [ $n -lt 5 ]; then n=$((n+1)); else exit 1; fi\n  done\n}\n"
        "again systemctl enable a\nsystemctl enable b",
        ["enables a.service", "enables b.service"],
    ),
    "whether a function that returns early succeeds is not known": (
        "tried() { for n in 1 2; do nc -z node 22 && return 0; done; return 1; }\n"
        "if tried; then systemctl enable a; else systemctl enable b; fi",
        ["enables a.service", "enables b.service if tried fails"],
    ),
    "a program that branches name is each of theirs": (
        "if [ -e /etc/debian_version ]; then PM=apt-get; else PM='dnf -q'; fi\n$PM install -y kubelet",
        ["installs kubelet with apt-get if $PM is apt-get", "installs kubelet with dnf if $PM is dnf -q"],
    ),
    "a unit that branches name is each of theirs": (
        'case "$ROLE" in server) U=k3s;; *) U=k3s-agent;; esac\nsystemctl enable "$U.service"',
        ["enables k3s.service if $U is k3s", "enables k3s-agent.service if $U is k3s-agent"],
    ),
    "an exit ends it": ("systemctl enable a\nexit 0\nsystemctl enable b", ["enables a.service"]),
    "both exits end it": ("if [ -e /x ]; then exit 0; else exit 1; fi\nsystemctl enable b", []),
    "and": ("[ -e /x ] && systemctl enable a", ["enables a.service if [ -e /x ]"]),
    "or": ("[ -e /x ] || systemctl enable a", ["enables a.service if not: [ -e /x ]"]),
    "and, and": (
        "[ -e /x ] && [ -e /y ] && systemctl enable a",
        ["enables a.service if [ -e /x ] and [ -e /y ]"],
    ),
    "and, or": (
        "[ -e /x ] && systemctl enable a || systemctl enable b",
        ["enables a.service if [ -e /x ]", "enables b.service if not: [ -e /x ] && systemctl enable a"],
    ),
    "a step that is meant to succeed is no condition": (
        "mkdir -p /opt && systemctl enable a",
        ["enables a.service"],
    ),
    "what happens when a step fails": (
        "dnf install -y thing || systemctl enable a",
        ["installs thing with dnf", "enables a.service if dnf install -y thing fails"],
    ),
    "case": (
        'case "$ID" in\n  amzn) systemctl enable a ;;\n  ubuntu|debian) systemctl enable b ;;\n  *) exit 1 ;;\nesac\nsystemctl enable c',
        ['enables a.service if "$ID" is amzn', 'enables b.service if "$ID" is ubuntu|debian', "enables c.service"],
    ),
    "case of a known word": (
        'ID=ubuntu\ncase "$ID" in amzn) systemctl enable a ;; ub*) systemctl enable b ;; esac',
        ["enables b.service"],
    ),
    "a loop over known words": (
        "for unit in a b; do systemctl enable $unit; done",
        ["enables a.service", "enables b.service"],
    ),
    "a loop over what nobody knows": (
        "for unit in $(cat /etc/units); do systemctl enable $unit; done",
        ["enables $unit if for unit in $(cat /etc/units)"],
    ),
    "a loop over the lines of a heredoc": (
        "while read -r unit act; do\n  systemctl $act $unit\ndone <<'EOF'\na enable\nb start\nEOF\nsystemctl enable c",
        ["enables a.service", "starts b.service", "enables c.service"],
    ),
    "a loop over the lines of a pipe": (
        "printf '%s\\n' a b | while IFS= read -r unit; do systemctl enable $unit; done",
        ["enables a.service", "enables b.service"],
    ),
    "a retry is one step": (
        "for i in 1 2 3 4 5; do\n  dnf install -y thing && break\n  sleep 5\ndone\nsystemctl enable a",
        ["installs thing with dnf", "enables a.service"],
    ),
    "until it succeeds": (
        "until dnf install -y thing; do sleep 5; done\nsystemctl enable a",
        ["installs thing with dnf", "enables a.service"],
    ),
    "a loop that runs once at least": (
        "while true; do systemctl enable a; break; done\nsystemctl enable b",
        ["enables a.service", "enables b.service"],
    ),
    "a function where it is called": (
        "setup() { systemctl enable $1; }\nsystemctl enable first\nsetup a\nsetup b",
        ["enables first.service", "enables a.service", "enables b.service"],
    ),
    "a function that nobody calls": ("setup() { systemctl enable a; }\nsystemctl enable b", ["enables b.service"]),
    "the usual main": (
        'main() {\n  local unit="$1"\n  systemctl enable "$unit"\n}\nmain kubelet "$@"',
        ["enables kubelet.service"],
    ),
    "a function that runs what it is given": (
        'retry() { for i in 1 2 3; do "$@" && return 0; sleep 1; done; return 1; }\nretry dnf install -y a b\nsystemctl enable c',
        ["installs a b with dnf", "enables c.service"],
    ),
    "a function that tries again, and waits longer each time": (
        'retry() { for i in 1 2 3; do "$@" && return 0; sleep $((i * 5)); done; return 1; }\nretry dnf install -y a\nretry dnf install -y b',
        ["installs a with dnf", "installs b with dnf"],
    ),
    "return leaves the function only": (
        "setup() { if [ -e /x ]; then return; fi; systemctl enable a; }\nsetup\nsystemctl enable b",
        ["enables a.service if not: [ -e /x ]", "enables b.service"],
    ),
    "exit leaves the script, from wherever": (
        "check() { [ -e /x ] || exit 1; }\ncheck\nsystemctl enable b",
        ["enables b.service if [ -e /x ]"],
    ),
    "a subshell": (
        "(cd /opt && systemctl enable a; exit 1)\nsystemctl enable b",
        ["enables a.service", "enables b.service"],
    ),
    "sudo and its kin": (
        "sudo -u root systemctl enable a\nenv A=b systemctl enable b\ntimeout 60 systemctl enable c\nnohup systemctl enable d &",
        [f"enables {name}.service" for name in "abcd"],
    ),
    "a shell in a shell": (
        "bash -c 'systemctl enable a; if [ -e /x ]; then systemctl enable b; fi'\nsudo sh -ec \"systemctl enable c\"",
        ["enables a.service", "enables b.service if [ -e /x ]", "enables c.service"],
    ),
    "for another user": (
        "su - root -c 'systemctl enable a'\nrunuser -l root -c 'systemctl enable b'\nrunuser -u root -- systemctl enable c",
        [f"enables {name}.service" for name in "abc"],
    ),
    "a script given to a shell": (
        "sudo bash <<'EOF'\nsystemctl enable a\nexit 0\nEOF\nsystemctl enable b",
        ["enables a.service", "enables b.service"],
    ),
    "at the end": (
        "trap 'systemctl enable last' EXIT\nsystemctl enable first",
        ["enables first.service", "enables last.service"],
    ),
    "exec is the end": ("exec systemctl enable a\nsystemctl enable b", ["enables a.service"]),
    "where the output goes is no effect": (
        "exec > >(tee /var/log/user-data.log | logger -t user-data) 2>&1\nsystemctl enable a >> /var/log/x.log 2>&1",
        ["enables a.service"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_happens(name: str) -> None:
    script, expected = CASES[name]
    assert told(script) == expected
