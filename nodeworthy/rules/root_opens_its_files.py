"""What sudo writes, root opens.

`sudo echo "blacklist nouveau" > /etc/modprobe.d/nouveau.conf` runs echo as root, and opens the file as whoever typed
it: the shell opens it before sudo begins. A user may not (`Permission denied`), the file stays as it was, and without
`set -e` the script goes on: nouveau still loads, the sysctl is not set, the archive's list is empty. `… | sudo tee
FILE` opens it as root, and so does `sudo sh -c '… > FILE'`.

Told of scripts that ask sudo for all that needs root: whoever is root already has no need of it. What asks who runs it
(`id -u`, `$EUID`), what a cloud runs, and what another file runs, nobody can say that of.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.effects import Writes
from nodeworthy.facts.boot.opened_by_a_user import opened_by_a_user, writes_with_sudo
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

RULE = Rule(
    "root-opens-its-files",
    severity=Severity.WARNING,
    title="What sudo writes, root opens",
    remedy="… | sudo tee FILE, or sudo sh -c '… > FILE'",
    never_unknown="whoever runs a script that asks sudo for everything is a user",
)

_MOST_RELATED = 10


@RULE.check
def it_is_not_opened_by_a_user(script: BootScript) -> Findings:
    if not writes_with_sudo(script):
        skip("nothing that sudo runs is written into a file")
    found = list(opened_by_a_user(script))
    if found:
        yield _draft_of(found)


def _draft_of(found: Sequence[Writes]) -> Draft:
    first, *others = found
    return fail(
        first.place,
        f"{first.path.shown()} is opened by whoever runs the script, and not by root: nothing is written",
        is_=first.command if len(first.command) <= 100 else f"{first.command[:99]}…",
        should=f"… | sudo tee{' -a' if '>>' in first.command else ''} {first.path.shown()}",
        related=[Related(each.place, f"nor is {each.path.shown()}") for each in others[:_MOST_RELATED]],
        cause="the shell opens the file before sudo begins: Permission denied, for all but root",
        remedy="pipe it into sudo tee, or give all of it to sudo sh -c",
    )
