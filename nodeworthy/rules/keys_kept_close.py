"""Only their owners can read the cluster's keys.

`chmod 644 munge.key` lets every user of the machine, and of a shared home all machines, speak for anybody to Slurm; in
/etc/munge munged ends over it at once. slurmdbd ends over a slurmdbd.conf that others may read, and ssh ignores such a
private key. A kubeconfig of kubeadm's, k3s' or RKE2's, and their tokens, hand the cluster to every user of the machine:
those are warnings, for a machine may have one user alone.

So does a server of k3s or RKE2 that is told to write it so (`--write-kubeconfig-mode 644`, `K3S_KUBECONFIG_MODE`,
config.yaml).

What the script closes or removes again further down is not told.

Of Ansible's tasks the modes are read that they give: slurmdbd ends unless its file has 0600, no bit more and none less,
and a file that Ansible makes gets 0644 where no mode is said. Of munge.key only a mode that is said counts: one that
lies there already keeps its own.
"""

from __future__ import annotations

from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.facts.secrets.keys_left_open import KeyLeftOpen
from nodeworthy.facts.secrets.modes_of_keys import Laid, files_refused_by_slurmdbd, keys_refused_by_munged
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, skip

RULE = Rule(
    "keys-kept-close",
    severity=Severity.ERROR,
    title="Only their owners can read the cluster's keys",
    remedy="chmod 600, or 400, and chown to the daemon's user",
    never_unknown="only what the script itself opens is told",
)


@RULE.check
def nobody_else_reads_it(key: KeyLeftOpen) -> Findings:
    if key.closed:
        return
    yield fail(
        key.place,
        f"everybody may read {key.title}",
        is_=key.written,
        should=f"chmod 600 {key.path}",
        cause=key.then,
        remedy=f"chmod 600 {key.path}; where others need it, hand it to them by a channel that only they read, and "
        "change it, for it has been open",
        severity=Severity.ERROR if key.ends else Severity.WARNING,
    )


@RULE.check
def its_daemon_takes_its_mode(tasks: TasksAsWritten) -> Findings:
    if "slurmdbd.conf" not in tasks.text and "munge.key" not in tasks.text:
        skip("no task in it lays down a key of Slurm's")
    for each in files_refused_by_slurmdbd(tasks):
        yield _told_mode(each, "a slurmdbd of today ends: slurmdbd.conf should be 600, for a password stands in it")
    for each in keys_refused_by_munged(tasks):
        yield _told_mode(each, "munged ends: only its owner may read the key; who reads it is anybody to Slurm")


def _told_mode(laid: Laid, cause: str) -> Draft:
    return fail(
        laid.place,
        f"{laid.path} gets mode {laid.shown}, and its daemon does not start with that",
        is_=f"mode {laid.shown}" if laid.is_said else f"no mode: a new file gets {laid.shown}",
        should='mode: "0600"',
        cause=cause,
        remedy='give the task mode: "0600", and owner: the user that the daemon runs as',
    )
