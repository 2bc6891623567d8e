"""Runs a Pulumi program for the language host beside this file, as `pulumi-language-python-exec` does."""

from __future__ import annotations

import asyncio
import logging
import os
import runpy
import sys
import traceback

import pulumi
from pulumi import runtime

# The exit code by which a host knows that the program's own words were already shown.
SHOWN = 32


def main(program: str) -> int:
    runtime.set_all_config(runtime.get_config_env(), runtime.get_config_secret_keys_env())
    runtime.configure(
        runtime.Settings(
            project=os.environ["PULUMI_PROJECT"],
            stack=os.environ["PULUMI_STACK"],
            organization=os.environ["PULUMI_ORGANIZATION"],
            dry_run=os.environ["PULUMI_DRY_RUN"] == "true",
            parallel=int(os.environ["PULUMI_PARALLEL"]),
            monitor=os.environ["PULUMI_MONITOR"],
            engine=os.environ["PULUMI_ENGINE"],
            root_directory=os.environ["PULUMI_ROOT_DIRECTORY"],
        )
    )
    sys.argv = [program]
    # A program that fails leaves futures behind, of which asyncio would complain.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)

    def run() -> None:
        runpy.run_path(program, run_name="__main__")

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(runtime.run_in_stack(run))
    except pulumi.RunError as problem:
        pulumi.log.error(str(problem))
        return 1
    except Exception:  # noqa: BLE001 - the program is somebody else's: whatever it raises is shown whole
        pulumi.log.error(f"Program failed with an unhandled exception:\n{traceback.format_exc()}")
        return SHOWN
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
