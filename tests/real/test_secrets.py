"""What was put in as a secret comes out nowhere: not in the plan, not in a report, not in the CLI's events or its state."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.by_day import some
from tests.run import run

from . import projects
from .agreement import PACK
from .moto_server import MotoServer
from .pulumi_cli import PulumiCli
from .tools import Tools

STACK = "prod"
# As somebody might choose it, and as GitHub makes them: no rule takes these for placeholders.
SECRETS = {
    "grafanaPassword": "kestrel-Umbra-4471",
    "queuePassword": "vQ7-harbour-Tonic",
    "registryToken": "ghp_R7kQ2mZx9LbT4vWc8NfY1sDg6HjP3aE5uKoq",
}
FORMATS = ("text", "json", "markdown", "html")
# One of them written into boot scripts, which whoever may read an instance can read.
CALL = "        user_data=told.apply(lambda told: _user_data(fleet, part, told)),\n"
LEAKING_CALL = """\
        user_data=pulumi.Output.all(told, pulumi.Config("nodeworthy").require_secret("registryToken")).apply(
            lambda both: _leaking(_user_data(fleet, part, both[0]), both[1])
        ),
"""
LEAK = """

def _leaking(script: str, token: str) -> str:
    text = base64.b64decode(script).decode().replace("main() {", f"export GHCR_TOKEN={token}\\n\\nmain() {{")
    return base64.b64encode(text.encode()).decode()
"""


@pytest.fixture(scope="module")
def cli(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PulumiCli]:
    scratch = tmp_path_factory.mktemp("secrets")
    with MotoServer("us-east-2") as moto:
        made = PulumiCli(tools.path("pulumi"), projects.ours(scratch / "made"), scratch / "cli", aws=moto.aws)
        for key, value in SECRETS.items():
            made.set_secret(STACK, f"nodeworthy:{key}", value)
        yield made


def _shown(text: str) -> list[str]:
    """The secrets in it, also where they were only packed."""
    packed = {key: base64.b64encode(value.encode()).decode().rstrip("=") for key, value in SECRETS.items()}
    return [key for key, value in SECRETS.items() if value in text or packed[key] in text]


def test_a_preview_of_the_cli_shows_none(cli: PulumiCli) -> None:
    ran = cli.preview(STACK, PACK)
    assert ran.exit_code == 0, ran.output
    assert ran.violations
    assert _shown(ran.output + str(ran.events)) == []


@pytest.mark.parametrize("form", some(FORMATS, 2))
@pytest.mark.usefixtures("programs_start_warm")
def test_no_form_of_a_report_shows_one(cli: PulumiCli, form: str) -> None:
    ran = run("preview", "--stack", STACK, "--format", form, "--show-passed", cwd=cli.project)
    assert ran.out, ran.err
    assert _shown(ran.out + ran.err) == []


def test_an_update_and_its_state_show_none(cli: PulumiCli) -> None:
    ran = cli.up(STACK, PACK)
    assert ran.exit_code == 0, ran.output
    kept = "".join(each.read_text(errors="replace") for each in cli.kept.rglob("*") if each.is_file())
    assert "gpu-prod" in kept
    assert _shown(ran.output + str(ran.events) + kept) == []


def test_one_in_a_boot_script_is_blocked_and_not_repeated(cli: PulumiCli, tmp_path: Path) -> None:
    leaking = projects.copied(cli.project, tmp_path / "leaking")
    file = leaking / "infra" / "launch_template.py"
    text = file.read_text(encoding="utf-8")
    assert CALL in text
    file.write_text(text.replace(CALL, LEAKING_CALL) + LEAK, encoding="utf-8")
    ran = cli.of(leaking).preview(STACK, PACK)
    assert ran.exit_code == 1
    assert {each.policy for each in ran.violations if each.level == "mandatory"} == {"no-secret-in-plain-sight"}
    assert _shown(ran.output + str(ran.events)) == []
