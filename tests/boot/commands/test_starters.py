"""Commands that other programs run."""

from __future__ import annotations

import pytest

from nodeworthy.boot.commands.table import KINDS, PROGRAMS
from nodeworthy.boot.effects import NotUnderstood
from tests.boot.commands.calls import ran, told


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("find / -name x", []),
        ("find /etc -name '*.conf' -delete", ["Runs arguments=find,/etc,-name,*.conf,-delete"]),
        (r"find /etc/modprobe.d -name x -exec rm -f {} \;", ["Writes path={} how=deletes"]),
        ("find /etc -name x -exec sed -i s/a/b/ {} +", ["Writes path={} how=edits expressions=s/a/b/"]),
        (
            r"find /lib -name nvidia.ko -exec insmod {} \; -exec modprobe overlay \;",
            [
                "NotUnderstood written=insmod {} "
                "why=the module here is {}, and find tells it on the node kind=its words may_be=nvidia, or any other module",
                "LoadsModule module=overlay because=modprobe loads it",
            ],
        ),
        (
            r"find . -exec sh -c 'modprobe nvidia' \;",
            ["NotUnderstood written=sh -c modprobe nvidia why=what sh runs is not followed here kind=its words"],
        ),
        ("find . -exec", []),
        ("crontab -l", []),
        ("crontab -r", ["Runs arguments=crontab,-r"]),
        ("crontab -", ["Writes path=/var/spool/cron/root how=writes content='x\\n' whole='x\\n'"]),
        ("crontab -u root /unread", ["Writes path=/var/spool/cron/root how=writes"]),
        ("at now + 1 minute", ["NotUnderstood written=x\n why=what at runs is not followed here kind=its words"]),
    ],
)
def test_what_they_do(line: str, expected: list[str]) -> None:
    assert told(ran(line, stdin="x\n")) == expected


def test_an_end_that_never_comes() -> None:
    line = "find . -exec find . -exec find . -delete"
    assert told(ran(line)) == [f"Runs arguments={line.replace(' ', ',')}"]


def test_without_words_to_read_at_only_runs() -> None:
    (effect,) = ran("at -f /tmp/x now").effects
    assert not isinstance(effect, NotUnderstood)


def test_every_program_is_one_files() -> None:
    names = [name for kind in KINDS for name in kind.HANDLERS]
    assert sorted(names) == sorted(PROGRAMS)
    assert not any("/" in name or " " in name for name in names)
