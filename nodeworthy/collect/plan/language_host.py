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
import json
import logging
import os
import pathlib
import runpy
import sys
import traceback
import typing
from concurrent.futures import ThreadPoolExecutor

# This module is a process of its own and is imported by none of ours.
try:
    import grpc
    import pulumi
    import pulumi.runtime
except ImportError as missing:
    sys.exit(f"{missing}: install what the program needs for {sys.executable}, which Pulumi.yaml chose")

# How deep a type's outputs are told; types that hold themselves would have no end.
DEEPEST = 3
FAILED_IN_THE_OPEN = 32
DEBUG = 0  # LogSeverity
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# Hundreds of resources are millions of objects, nearly all of which live as long as this process.
RARELY = (200_000, 20, 100)
TELL = "/nodeworthy.Shapes/Tell"
Accessor = typing.Callable[..., typing.Any]
TypesOf = typing.Callable[[type], typing.Mapping[str, typing.Any]]


class Monitor:
    """The engine's monitor; before the first resource of a type, the engine is told which outputs the type has."""

    def __init__(self, stub: typing.Any, channel: typing.Any) -> None:
        self._stub = stub
        self._tell = channel.unary_unary(TELL, request_serializer=bytes, response_deserializer=bytes)
        self._told: set[str] = set()

    def __getattr__(self, name: str) -> typing.Any:
        return getattr(self._stub, name)

    def RegisterResource(self, request: typing.Any) -> typing.Any:  # noqa: N802 (the protocol's name)
        self._shape(request)
        return self._stub.RegisterResource(request)

    def ReadResource(self, request: typing.Any) -> typing.Any:  # noqa: N802
        self._shape(request)
        return self._stub.ReadResource(request)

    def _shape(self, request: typing.Any) -> None:
        if request.type in self._told:
            return
        cls = _class_of(pulumi.CustomResource, request.type)
        if cls is not None:
            shape = _members(cls, pulumi._types.resource_types, 0)
            self._tell(json.dumps({"type": request.type, "outputs": shape}).encode())
        self._told.add(request.type)


class Engine:
    """The engine without the SDK's own diary, which is half of all calls and which nobody reads in a preview."""

    def __init__(self, stub: typing.Any) -> None:
        self._stub = stub

    def __getattr__(self, name: str) -> typing.Any:
        return getattr(self._stub, name)

    def Log(self, request: typing.Any) -> typing.Any:  # noqa: N802
        if request.severity != DEBUG:
            self._stub.Log(request)


def _class_of(base: type[typing.Any], token: str) -> type | None:
    cls: type[typing.Any]
    for cls in base.__subclasses__():
        if getattr(cls, "pulumi_type", None) == token:
            return cls
        found = _class_of(cls, token)
        if found is not None:
            return found
    return None


def _members(cls: type, types_of: TypesOf, depth: int) -> dict[str, typing.Any]:
    try:
        return {name: _kind(kind, depth) for name, kind in types_of(cls).items() if name not in ("id", "urn")}
    except Exception:  # noqa: BLE001 (the SDK's own type metadata: what can't be read is not told, and stays unknown)
        return {}


def _kind(kind: typing.Any, depth: int) -> typing.Any:
    kind = pulumi._types.unwrap_type(kind)
    if kind is str:
        return "text"
    if typing.get_origin(kind) in (list, typing.Sequence) or "Sequence" in str(typing.get_origin(kind)):
        return [_kind(typing.get_args(kind)[0], depth)]
    if isinstance(kind, type) and pulumi._types.is_output_type(kind) and depth < DEEPEST:
        return _members(kind, pulumi._types.output_type_types, depth + 1)
    return None


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
    for name in ("engine", "project", "stack", "pwd", "root_directory", "organization"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--parallel", type=int, required=True)
    parser.add_argument("--dry_run", choices=["true"], required=True)
    parser.add_argument("program")
    return parser.parse_args()


def _configure(options: argparse.Namespace) -> None:
    from pulumi.runtime import settings
    from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
    from pulumi.runtime.proto import engine_pb2_grpc, resource_pb2_grpc

    channel = grpc.insecure_channel(options.engine, options=_GRPC_CHANNEL_OPTIONS)
    pulumi.runtime.set_all_config(pulumi.runtime.get_config_env(), pulumi.runtime.get_config_secret_keys_env())
    pulumi.runtime.configure(
        settings.Settings(
            monitor=Monitor(resource_pb2_grpc.ResourceMonitorStub(channel), channel),
            engine=Engine(engine_pb2_grpc.EngineStub(channel)),
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
    """From the program's entry on; where it is not among them (a callback), all that are not ours."""
    for index, frame in enumerate(frames):
        if pathlib.Path(frame.filename).absolute() == entry:
            return list(frames[index:])
    return [frame for frame in frames if frame.filename != __file__]


async def _run(program: str) -> None:
    runpy.run_path(program, run_name="__main__")
    # The SDK goes over all outputs that are left each time one of them is done. Here they are waited for together,
    # so that a program of a thousand resources takes ten times as long as one of a hundred. It sees to the rest.
    while left := [task for task in tuple(pulumi.runtime.settings.SETTINGS.outputs) if not task.done()]:
        done, _ = await asyncio.wait(left, return_when=asyncio.FIRST_EXCEPTION)
        if any(task.cancelled() or task.exception() is not None for task in done):
            return


def main() -> int:
    options = _arguments()
    gc.set_threshold(*RARELY)
    _keep_encrypted_config_unknown()
    _configure(options)
    # Our own folder is no place where the program looks for its modules.
    sys.path.pop(0)
    sys.argv = [options.program]
    os.chdir(options.pwd)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    executor = ThreadPoolExecutor(max_workers=options.parallel * 4)
    loop.set_default_executor(executor)
    # asyncio complains of every future that a failed program leaves behind, which says nothing about the failure.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    code = 1
    try:
        loop.run_until_complete(pulumi.runtime.run_in_stack(lambda: _run(options.program)))
        code = 0
    except pulumi.RunError as problem:
        pulumi.log.error(str(problem))
    except Exception as problem:  # noqa: BLE001 (whatever the program raises is its own, and is shown whole)
        pulumi.log.error(_traceback(problem, options.program))
        code = FAILED_IN_THE_OPEN
    finally:
        executor.shutdown(wait=True)
        loop.close()
        sys.stdout.flush()
        sys.stderr.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
