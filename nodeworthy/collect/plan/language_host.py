"""Runs a Pulumi program for the engine, the way Pulumi's own language host does. Started as a subprocess.

It lives in the interpreter of the program, so it imports nothing of ours. The program is not changed in any
way: it finds a monitor and an engine behind `pulumi.runtime`, and its config in the environment. What this host adds
is told to the engine beside the program: which outputs a type has, which only the SDK's classes know.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import gc
import importlib
import logging
import os
import pathlib
import runpy
import selectors
import sys
import traceback
import typing

# This module is a process of its own and is imported by none of ours.
try:
    import pulumi
    import pulumi.runtime

    # Our own folder is where the program of a process is until it says otherwise.
    host_engine = importlib.import_module("host_engine")
    host_haste = importlib.import_module("host_haste")
    host_parting = importlib.import_module("host_parting")
except ImportError as missing:
    sys.exit(f"{missing}: install what the program needs for {sys.executable}, which Pulumi.yaml chose")

FAILED_IN_THE_OPEN = 32
# Said by the SDK and by the engine: which resource it is says more than where the SDK has noticed.
SAY_IT_ALL = ("circular dependency", "Duplicate resource URN")
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# Hundreds of resources are millions of objects, nearly all of which live as long as this process.
RARELY = (200_000, 20, 100)
Accessor = typing.Callable[..., typing.Any]


def _keep_encrypted_config_unknown() -> None:
    """A `secure:` value arrives as the mark of an unknown; the program's secret accessors make an unknown of it."""
    for name in dir(pulumi.Config):
        if name.startswith(("get_secret", "require_secret")):
            setattr(pulumi.Config, name, _unknown_where_encrypted(getattr(pulumi.Config, name)))


def _unknown_where_encrypted(accessor: Accessor) -> Accessor:
    @functools.wraps(accessor)
    def asked(config: pulumi.Config, key: str, *rest: typing.Any, **named: typing.Any) -> typing.Any:
        raw = pulumi.runtime.get_config(config.full_key(key))
        if not isinstance(raw, str) or UNKNOWN not in raw:
            return accessor(config, key, *rest, **named)
        value, known, secret = (asyncio.get_event_loop().create_future() for _ in range(3))
        value.set_result(None)
        known.set_result(False)
        secret.set_result(True)
        return pulumi.Output(set(), value, known, secret)

    return asked


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    # Of each run its engine; of each but the first also where it says how it ended.
    parser.add_argument("--engine", action="append", required=True)
    parser.add_argument("--word", action="append", type=int, default=[])
    for name in ("project", "stack", "pwd", "root_directory", "organization"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--parallel", type=int, required=True)
    parser.add_argument("--dry_run", choices=["true"], required=True)
    parser.add_argument("program")
    return parser.parse_args()


def _configure(options: argparse.Namespace, parting: typing.Any, loop: asyncio.AbstractEventLoop) -> None:
    from pulumi.runtime import settings

    link = host_engine.Link(parting)
    pulumi.runtime.set_all_config(pulumi.runtime.get_config_env(), pulumi.runtime.get_config_secret_keys_env())
    pulumi.runtime.configure(
        settings.Settings(
            monitor=host_engine.Monitor(link, options, loop),
            engine=host_engine.Engine(link),
            project=options.project,
            stack=options.stack,
            parallel=options.parallel,
            dry_run=True,
            organization=options.organization,
            root_directory=options.root_directory,
        )
    )


def _traceback(problem: BaseException, program: str) -> str:
    """What the program raised, and what that came from, without the frames of this host."""
    told = traceback.TracebackException.from_exception(problem)
    path = pathlib.Path(program).absolute()
    entry = path / "__main__.py" if path.is_dir() else path
    each: traceback.TracebackException | None = told
    while each is not None:
        each.stack = traceback.StackSummary.from_list(_its_own(each.stack, entry))
        each = each.__cause__ or each.__context__
    return "".join(told.format())


def _its_own(frames: typing.Sequence[traceback.FrameSummary], entry: pathlib.Path) -> list[traceback.FrameSummary]:
    """The frames from the program's first file on; where none is among them (an entry that cannot be read), those after
    its start."""
    own = (index for index, frame in enumerate(frames) if _is_of(frame.filename, entry.parent))
    starts = [index + 1 for index, frame in enumerate(frames) if _starts_it(frame.filename)]
    return list(frames[next(own, starts[-1] if starts else 0) :])


def _is_of(filename: str, folder: pathlib.Path) -> bool:
    if filename == __file__ or filename.startswith("<"):
        return False
    path = pathlib.Path(filename).absolute()
    return path.is_relative_to(folder) and "site-packages" not in path.parts


def _starts_it(filename: str) -> bool:
    return filename == __file__ or filename.startswith(("<frozen runpy", "<frozen importlib"))


async def _run(program: str, parting: typing.Any) -> None:
    parting.begin()
    # A file by its whole path: of another one the SDK can't say at which line a resource stands.
    runpy.run_path(os.path.abspath(program) if pathlib.Path(program).is_file() else program, run_name="__main__")
    # The SDK goes over all outputs that are left each time one of them is done. Here they are waited for together,
    # so that a program of a thousand resources takes ten times as long as one of a hundred. It sees to the rest.
    while left := [task for task in tuple(pulumi.runtime.settings.SETTINGS.outputs) if not task.done()]:
        done, _ = await asyncio.wait(left, return_when=asyncio.FIRST_EXCEPTION)
        if any(task.cancelled() or task.exception() is not None for task in done):
            return


def main() -> int:
    options = _arguments()
    gc.set_threshold(*RARELY)
    loop = _loop(options)
    asyncio.set_event_loop(loop)
    parting = host_parting.Parting(options.engine, options.word, options.parallel * 4, loop)
    loop.set_default_executor(parting)
    _keep_encrypted_config_unknown()
    host_haste.hasten()
    _configure(options, parting, loop)
    # Our own folder is no place where the program looks for its modules.
    sys.path.pop(0)
    sys.argv = [options.program]
    os.chdir(options.pwd)
    # asyncio complains of every future that a failed program leaves behind, which says nothing about the failure.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    code = 1
    try:
        code = _code(options.program, parting, loop)
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
        raise
    finally:
        parting.leave(code)
    return code


def _loop(options: argparse.Namespace) -> asyncio.AbstractEventLoop:
    """Where runs are to part, the loop waits without an object of the kernel's, which they would go on to share."""
    return asyncio.SelectorEventLoop(selectors.PollSelector()) if options.word else asyncio.new_event_loop()


def _code(program: str, parting: typing.Any, loop: asyncio.AbstractEventLoop) -> int:
    try:
        loop.run_until_complete(pulumi.runtime.run_in_stack(lambda: _run(program, parting)))
        return 0
    except SystemExit:
        raise
    except pulumi.RunError as problem:
        pulumi.log.error(str(problem))
        return 1
    except BaseException as problem:  # noqa: BLE001 (whatever the program raises is its own, and is shown whole)
        said = str(problem)
        pulumi.log.error(said if any(each in said for each in SAY_IT_ALL) else _traceback(problem, program))
        return FAILED_IN_THE_OPEN
    finally:
        parting.shutdown(wait=True)
        loop.close()
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
