"""A stack of this repository, previewed by the embedded engine and by the real pulumi CLI."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import NotMeasured, nodeworthy_ms
from bench.plans import EXITS, ROOT

if TYPE_CHECKING:
    from tests.real.pulumi_cli import PulumiCli

STACK = "prod"


def embedded_ms(*, simulate: bool, times: int = 5) -> float:
    options = [] if simulate else ["--no-simulate"]
    return nodeworthy_ms("preview", "--stack", STACK, *options, cwd=ROOT, exits=EXITS, times=times)


def cli_ms(times: int = 3) -> float:
    """With the pack, as `make preview-cli` runs it: the providers and the language host are stand-ins."""
    from tests.real import projects
    from tests.real.pulumi_cli import PulumiCli
    from tests.real.tools import find

    program = find("pulumi")
    if program is None:
        raise NotMeasured("there is no pulumi CLI: `make tools` builds it")
    with tempfile.TemporaryDirectory() as scratch:
        cli = PulumiCli(program, projects.ours(Path(scratch, "made")), Path(scratch, "cli"))
        cli.init(STACK)
        return min(_once(cli) for _ in range(times))


def _once(cli: PulumiCli) -> float:
    start = time.perf_counter()
    ran = cli.preview(STACK, ROOT / "policies")
    elapsed = (time.perf_counter() - start) * 1000
    if ran.exit_code or not ran.changes:
        raise NotMeasured(f"exit code {ran.exit_code}: {ran.output.strip()[-100:]}")
    return elapsed
