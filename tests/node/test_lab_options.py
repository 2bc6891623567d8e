"""What `nodeworthy lab` refuses before it boots anything."""

from __future__ import annotations

import pytest

from tests.run import run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("up",), "lab up needs a boot script: --user-data FILE"),
        (("up", "--user-data", "no-such-file"), "can't read no-such-file: No such file or directory"),
        (("up", "--user-data", "x", "--only", "clock-off"), "lab up has no --only"),
        (("up", "--user-data", "x", "--jobs", "2"), "lab up has no --jobs"),
        (("faults", "--user-data", "x"), "lab faults has no --user-data"),
        (("faults", "--image", "debian"), "lab faults has no --image"),
        (("faults", "--jobs", "0"), "--jobs 0: at least one node at a time"),
        (
            ("up", "--user-data", "x", "--name", "../x"),
            "--name ../x: a host's name has letters, digits and hyphens, 63 of them at most",
        ),
        (
            ("up", "--user-data", "x", "--name", ""),
            "--name : a host's name has letters, digits and hyphens, 63 of them at most",
        ),
    ],
)
def test_one_sentence(arguments: tuple[str, ...], said: str) -> None:
    ran = run("lab", *arguments)
    assert (ran.code, ran.out, ran.err) == (2, "", f"nodeworthy lab: {said}\n")


def test_a_fault_that_nobody_knows_is_refused() -> None:
    ran = run("lab", "faults", "--only", "no-such-fault")
    assert ran.code == 2
    assert "no-such-fault" in ran.err
