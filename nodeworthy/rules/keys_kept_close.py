"""Only their owners can read the cluster's keys.

`chmod 644 munge.key` lets every user of the machine, and of a shared home all machines, speak for anybody to Slurm; in
/etc/munge munged ends over it at once. slurmdbd ends over a slurmdbd.conf that others may read, and ssh ignores such a
private key. A kubeconfig of kubeadm's, and the token of k3s or RKE2, hand the cluster to every user of the machine:
those are warnings, for a machine may have one user alone.

What the script closes or removes again further down is not told.
"""

from __future__ import annotations

from nodeworthy.facts.secrets.keys_left_open import KeyLeftOpen
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail

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
