"""The page "use it on your stack", done as it stands: its files, its commands, and what it says they print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.run import run

from .pulumi_cli import Preview, PulumiCli
from .tools import Tools

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "use-it-on-your-stack.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
PRINTED = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
READS_BOOT_SCRIPTS = "profiling-before-driver"


def written(folder: Path) -> Path:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def cli(tools: Tools, tmp_path: Path) -> PulumiCli:
    (tmp_path / "cli").mkdir()
    return PulumiCli(tools.path("pulumi"), written(tmp_path / "stack"), tmp_path / "cli")


def mandatory(ran: Preview) -> set[str]:
    return {each.policy for each in ran.violations if each.level == "mandatory"}


def words(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_the_preview_without_a_cli_says_what_it_says_there(tmp_path: Path) -> None:
    ran = run("preview", cwd=written(tmp_path / "stack"))
    assert ran.code == 1
    assert set(words(PRINTED[0])) <= set(words(ran.out))


def test_the_pack_says_what_it_says_there(cli: PulumiCli) -> None:
    ran = cli.preview("dev", cli.project / "policies")
    assert ran.exit_code == 1
    assert set(words(PRINTED[1])) <= set(words(ran.output))
    assert mandatory(ran) == {"containerd-paths", "node-ports-open", "not-open-to-the-world"}


def test_the_levels_hold(cli: PulumiCli) -> None:
    ran = cli.preview("dev", cli.project / "policies", json.loads(FILES["levels.json"]))
    assert mandatory(ran) == {"containerd-paths"}
    assert "disks-encrypted" not in {each.policy for each in ran.violations}
    assert ("suppression-unused", "advisory") in {(each.policy, each.level) for each in ran.violations}


def test_what_is_unknown_at_first_blocks_once_the_stack_is_up(cli: PulumiCli) -> None:
    assert READS_BOOT_SCRIPTS not in mandatory(cli.preview("dev", cli.project / "policies"))
    assert cli.up("dev", None).exit_code == 0
    assert READS_BOOT_SCRIPTS in mandatory(cli.preview("dev", cli.project / "policies"))


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"containerd-path": "advisory"}, "there is no rule 'containerd-path'; did you mean containerd-paths?"),
        (
            {"containerd-paths": {"allow": [{"resource": "*"}]}},
            "it gives no reason, and without one nothing is allowed",
        ),
        ({"containerd-paths": {"unknown": "maybe"}}, 'must be one of the following: "mandatory", "advisory"'),
    ],
)
def test_a_wrong_config_is_a_sentence(config: dict[str, object], sentence: str, cli: PulumiCli) -> None:
    ran = cli.preview("dev", cli.project / "policies", config)
    assert ran.exit_code == 1
    assert sentence in ran.output
