"""A passphrase is checked where one is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.plan.passphrase import check_passphrase, encrypt_block
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import read
from nodeworthy.errors import InputError
from nodeworthy.verdict import Place
from tests.plan.programs import preview, project

SALT = "v1:vI/UyshrKro=:v1:mgZ43AEW4X1o3Q/p:6PdKZJrECXbpDLEYQw3wlxML6WWDDg=="
RIGHT = "a test's own"
STACK = f"config:\n  toy:token: {{secure: 'v1:L1YlWVPIBIqn9B6l:IJobSrRIhhjiqrY7sLw6nA=='}}\nencryptionsalt: {SALT}\n"


def stack_file(salt: str = SALT) -> Tree:
    tree = read(f"encryptionsalt: {salt}\n", Place(path="Pulumi.dev.yaml"))
    assert tree is not None
    return tree


def test_the_cipher_is_the_standards() -> None:
    key, text = bytes(range(32)), bytes.fromhex("00112233445566778899aabbccddeeff")
    assert encrypt_block(key, text).hex() == "8ea2b7ca516745bfeafc49904b496089"


@pytest.mark.parametrize(
    "environment", [{}, {"PULUMI_CONFIG_PASSPHRASE": ""}, {"PULUMI_CONFIG_PASSPHRASE": RIGHT}], ids=str
)
def test_none_and_the_right_one_pass(environment: dict[str, str]) -> None:
    check_passphrase(stack_file(), environment)


def test_one_in_a_file_is_read(tmp_path: Path) -> None:
    kept = tmp_path / "passphrase"
    kept.write_text(f"{RIGHT}\n")
    check_passphrase(stack_file(), {"PULUMI_CONFIG_PASSPHRASE_FILE": str(kept)})
    with pytest.raises(InputError, match=r"can.t read .*gone, which PULUMI_CONFIG_PASSPHRASE_FILE names"):
        check_passphrase(stack_file(), {"PULUMI_CONFIG_PASSPHRASE_FILE": str(tmp_path / "gone")})


@pytest.mark.parametrize("salt", ["v2:x", "v1:a:v1:b:c", "v1:vI/UyshrKro=:v1:mgZ43AEW4X1o3Q/p:AAAA"])
def test_of_another_kind_of_salt_nothing_is_said(salt: str) -> None:
    check_passphrase(stack_file(salt), {"PULUMI_CONFIG_PASSPHRASE": "wrong"})


def test_a_wrong_one_ends_the_preview_at_the_line_of_the_salt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "wrong-one")
    ran = preview(project(tmp_path, "Thing('a')\n", STACK))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "nodeworthy preview: Pulumi.dev.yaml:3:17: the passphrase in PULUMI_CONFIG_PASSPHRASE is not the one that "
        "this stack was encrypted with; without any, what is encrypted stays unknown\n"
    )
