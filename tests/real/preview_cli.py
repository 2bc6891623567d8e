"""A stack of this repository previewed by the real pulumi CLI, with `policies/` as its policy pack: `make preview-cli`.

Nothing of yours is touched: the CLI gets a copy of the project, a home and a state of its own, and no account.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from . import projects
from .pulumi_cli import PulumiCli
from .tools import find

NOTICE = (
    "The engine, the pack and the program are the real ones. The AWS and Kubernetes providers and the language host\n"
    "are stand-ins that accept everything: this is not verified against the AWS provider."
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make preview-cli", description=__doc__)
    parser.add_argument("--stack", default="ci", help="a Pulumi.<stack>.yaml of this repository (ci)")
    stack = parser.parse_args().stack
    if not (projects.ROOT / f"Pulumi.{stack}.yaml").is_file():
        print(f"preview-cli: there is no stack {stack!r} here", file=sys.stderr)
        return 2
    program = find("pulumi")
    if program is None:
        print("preview-cli: there is no pulumi CLI, neither on PATH nor built; `make tools` builds it", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="nodeworthy-preview-") as scratch:
        cli = PulumiCli(program, projects.ours(Path(scratch, "made")), Path(scratch, "cli"))
        ran = cli.preview(stack, projects.ROOT / "policies")
    print(ran.output.rstrip("\n"))
    print(f"\n{NOTICE}")
    return ran.exit_code


if __name__ == "__main__":
    sys.exit(main())
