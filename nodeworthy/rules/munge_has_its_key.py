"""munged runs with the key that was laid down for it.

Debian's and Ubuntu's package of munge makes a key of its own as it is installed, and starts munged with it; so do
slurm-wlm, slurmd and slurmctld, which bring it along. Who then lays down the cluster's key, and says `systemctl start
munge` or `state: started`, has said nothing: munged runs, and goes on with the old key. Nobody else trusts what it
signs (`Invalid credential`), slurmd does not register, and all is well behind the next restart of the machine, which
is why it is hard to find.

A script is told that installs munge with apt, lays down the key and starts munged, in this order; a list of Ansible's
tasks that installs it, lays down the key, and notifies no handler. One that stops or restarts munged anywhere, restarts
the machine, or keeps packages from starting anything (policy-rc.d) is right. RPM's packages start nothing.
"""

from __future__ import annotations

from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.facts.slurm.munge_key import MungeKeyLaid, old_key_of_tasks
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

RULE = Rule(
    "munge-has-its-key",
    severity=Severity.ERROR,
    title="munged runs with the key that was laid down for it",
    remedy="restart munge behind its key: systemctl restart munge",
    never_unknown="only what one file installs, lays down and starts is told",
)


@RULE.check
def a_script_restarts_it(key: MungeKeyLaid) -> Findings:
    if key.is_read:
        return
    yield _told_of_key(key, "systemctl restart munge")


@RULE.check
def tasks_restart_it(tasks: TasksAsWritten) -> Findings:
    if "munge.key" not in tasks.text:
        skip("no task in it lays down munge's key")
    for each in old_key_of_tasks(tasks):
        yield _told_of_key(each, "notify: restart munge")


def _told_of_key(key: MungeKeyLaid, should: str) -> Draft:
    related = [Related(key.installed, "the package starts munged here, with a key of its own")]
    if key.started is not None:
        related.append(Related(key.started, "this does nothing: munged runs already"))
    return fail(
        key.place,
        "munged goes on with the key that its package has made: nobody restarts it behind the one that is laid down",
        is_=key.written if len(key.written) <= 100 else f"{key.written[:99]}…",
        should=should,
        related=related,
        cause="munged reads its key once, as it starts: the node trusts no other and no other trusts it (Invalid "
        "credential), until it boots again",
        remedy="systemctl restart munge behind it; in Ansible notify a handler with state: restarted",
    )
