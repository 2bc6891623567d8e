"""What a script has another machine run: who is asked, what stands where, what is expanded on which side."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Effect, Joins, NotUnderstood, Opens, RunsElsewhere, Writes
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.remote_script import RemoteScript, remote_scripts
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.verdict import Place


def sent(script: str) -> list[RemoteScript]:
    read = unpack(f"#!/bin/bash\n{script}".encode(), Place("a.sh"), name="a.sh")
    return list(remote_scripts(BootScript(Place("a.sh"), read)))


def shown(effect: Effect) -> str:
    if isinstance(effect, Opens):
        return " ".join((effect.tool, *(each.shown() for each in effect.arguments)))
    return (
        f"{effect.path.shown()}: {effect.content.text.shown().strip()}"
        if isinstance(effect, Writes) and effect.content
        else effect.command
    )


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("ssh host 'bash -s' <<'E'\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("ssh host bash <<E\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("ssh host sudo -i bash -s -- x <<'E'\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("ssh host <<'E'\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("ssh -o BatchMode=yes -p 2222 -i ~/.ssh/k -tt user@host <<'E'\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("ssh -p2222 host 'ufw allow 22; ufw --force enable'", ["2 ufw allow 22", "2 ufw --force enable"]),
        ("ssh host ufw allow 22", ["2 ufw allow 22"]),
        ("ssh $SSH_OPTS host ufw allow 22", ["2 ufw allow 22"]),
        ('ssh "${SSH_ARGS[@]}" host ufw allow 22', ["2 ufw allow 22"]),
        ("sshpass -p secret ssh host 'ufw allow 22'", ["2 ufw allow 22"]),
        ("ssh host '\nufw allow 22\nufw allow 23\n'", ["3 ufw allow 22", "4 ufw allow 23"]),
        ("P=22\nssh host <<E\nufw allow $P\nE", ["4 ufw allow 22"]),
        ("P=22\nssh host <<'E'\nufw allow $P\nE", ["4 ufw allow $P"]),
        ("P=22\nssh host <<E\nP=23\nufw allow \\$P\nE", ["5 ufw allow 23"]),
        ("P=22\nssh host 'ufw allow $P'", ["3 ufw allow $P"]),
        ('P=22\nssh host "ufw allow $P"', ["3 ufw allow 22"]),
        ("cat <<'E' | ssh host 'bash -s'\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("ssh host 'sudo tee /etc/a' <<'E'\nufw allow 22\nE", ["2 /etc/a: ufw allow 22"]),
        ("open() { ufw allow 22; }\nssh host open", ["3 open"]),
        ("vagrant ssh node -c 'sudo bash -s' <<'E'\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("vagrant ssh -c 'ufw allow 22'", ["2 ufw allow 22"]),
        ("vagrant up node", []),
        ("gcloud compute ssh node --zone=a --command='ufw allow 22'", ["2 ufw allow 22"]),
        ('P=22\ngcloud --project x compute ssh node --command "ufw allow $P"', ["3 ufw allow 22"]),
        ("gcloud compute ssh node --tunnel-through-iap -- sudo bash -s <<'E'\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("gcloud compute ssh node", []),
        ("gcloud compute instances create node", []),
        ("multipass exec node -- bash -c 'ufw allow 22; ufw allow 23'", ["2 ufw allow 22", "2 ufw allow 23"]),
        ("lxc exec node -- sudo bash -s <<'E'\nufw allow 22\nE", ["3 ufw allow 22"]),
        ("incus exec node --user 0 -- ufw allow 22", ["2 ufw allow 22"]),
        ("multipass launch -n node", []),
        ("ssh host", []),
        ("scp a host:", []),
    ],
)
def test_what_is_sent(script: str, expected: list[str]) -> None:
    told = [f"{effect.place.line} {shown(effect)}" for each in sent(script) for effect in each.does]
    assert told == expected


def test_each_host_is_one_machine() -> None:
    found = sent("ssh a ufw allow 22\nssh b ufw allow 23\nssh a ufw --force enable")
    assert [[shown(each) for each in one.does] for one in found] == [
        ["ufw allow 22", "ufw --force enable"],
        ["ufw allow 23"],
    ]


def test_hosts_that_are_given_the_same_are_one() -> None:
    assert len(sent("for host in a b c; do ssh $host ufw allow 22; done")) == 1


def test_a_file_is_found_by_the_next_script_for_its_host() -> None:
    found = sent("ssh a 'echo ufw allow 22 > /tmp/x'\nssh a bash /tmp/x\nssh b bash /tmp/x")
    assert [[type(each).__name__ for each in one.does] for one in found] == [["Writes", "Opens"], ["Runs"]]


def test_nothing_of_it_is_done_here() -> None:
    read = unpack(b"#!/bin/bash\nssh a kubeadm join 10.0.0.1:6443\n", Place("a.sh"), name="a.sh")
    assert [type(each) for each in read.timeline.effects] == [RunsElsewhere]
    (there,) = remote_scripts(BootScript(Place("a.sh"), read))
    assert [each.how for each in there.timeline.of(Joins)] == ["kubeadm"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("ssh a 'bash -s' <<'E'\nufw enable\nE", False),
        ("ssh a <<'E'\nsudo ufw enable\nE", False),
        ("ssh a <<'E'\necho y | sudo ufw enable\nE", True),
        ("ssh -n a 'ufw enable'", False),
        ("ssh a 'ufw enable' <<< y", True),
        ("ssh a 'ufw enable'", None),
        ("ssh -t a 'ufw enable'", None),
    ],
)
def test_who_answers(script: str, expected: bool | None) -> None:
    (opens,) = (effect for each in sent(script) for effect in each.does if isinstance(effect, Opens))
    assert opens.is_answered is expected


def test_ssh_within_ssh_ends() -> None:
    script = "ssh a 'ssh b \"ufw allow 22\"'"
    (a, b) = sent(script)
    assert (list(a.does), [shown(each) for each in b.does]) == ([], ["ufw allow 22"])
    looped = sent("f() { ssh a <<'E'\nbash /tmp/again\nE\n}\nssh a 'echo \"ssh a bash /tmp/again\" > /tmp/again'\nf")
    gaps = [each for one in looped for each in one.does if isinstance(each, NotUnderstood)]
    assert all("deeper" in each.why for each in gaps)
