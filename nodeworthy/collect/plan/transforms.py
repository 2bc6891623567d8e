"""Transforms: functions of the program that change what it registers. They live there, so they are asked there."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from nodeworthy.collect.plan.protocol import OPTIONS, Wire, from_struct, grpc, plain_outputs, stubs
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Changed:
    """A registration as it stands after every transform."""

    inputs: Any
    provider: str
    dependencies: tuple[str, ...]
    options: Mapping[str, Any]


class Transforms:
    """A resource's own transforms run first, then those of its parents, then the stack's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of_stack: list[Any] = []
        self._of_invokes: list[Any] = []
        self._of_resource: dict[str, list[Any]] = {}
        self._parents: dict[str, str] = {}
        self._clients: dict[str, Any] = {}

    def on_stack(self, callback: Any) -> None:
        with self._lock:
            self._of_stack.append(callback)

    def on_invokes(self, callback: Any) -> None:
        with self._lock:
            self._of_invokes.append(callback)

    def applied(self, request: Any, urn: str, context: Any) -> Changed:
        inputs, options = request.object, None
        for callback in self._due(request, urn):
            message = stubs("resource_pb2").TransformRequest(
                type=request.type,
                name=request.name,
                custom=request.custom,
                parent=request.parent,
                properties=inputs,
                options=options or _options(request),
            )
            reply = stubs("resource_pb2").TransformResponse.FromString(self._ask(callback, message, context))
            inputs = reply.properties if reply.HasField("properties") else inputs
            options = reply.options if reply.HasField("options") else options
        options = options or _options(request)
        return Changed(inputs, options.provider, tuple(options.depends_on), _recorded(options))

    def invoke(self, token: str, request: Any, context: Any) -> dict[str, Wire]:
        args = request.args
        for callback in tuple(self._of_invokes):
            message = stubs("resource_pb2").TransformInvokeRequest(token=token, args=args)
            reply = stubs("resource_pb2").TransformInvokeResponse.FromString(self._ask(callback, message, context))
            args = reply.args if reply.HasField("args") else args
        plain: dict[str, Wire] = plain_outputs(from_struct(args))
        return plain

    def _due(self, request: Any, urn: str) -> list[Any]:
        with self._lock:
            self._parents[urn] = request.parent
            if request.transforms:
                self._of_resource[urn] = list(request.transforms)
            due, above = list(request.transforms), request.parent
            while above:
                due += self._of_resource.get(above, [])
                above = self._parents.get(above, "")
            return due + self._of_stack

    def _ask(self, callback: Any, message: Any, context: Any) -> bytes:
        request = stubs("callback_pb2").CallbackInvokeRequest(token=callback.token, request=message.SerializeToString())
        try:
            answer: bytes = self._client(callback.target).Invoke(request).response
        except grpc().RpcError as problem:
            # The transform's own traceback is in there; the program raises it.
            context.abort(grpc().StatusCode.UNKNOWN, problem.details())
        return answer

    def _client(self, target: str) -> Any:
        with self._lock:
            if target not in self._clients:
                channel = grpc().insecure_channel(target, options=OPTIONS)
                self._clients[target] = stubs("callback_pb2_grpc").CallbacksStub(channel)
            return self._clients[target]


def _options(request: Any) -> Any:
    options = stubs("resource_pb2").TransformResourceOptions(
        depends_on=request.dependencies,
        ignore_changes=request.ignoreChanges,
        replace_on_changes=request.replaceOnChanges,
        version=request.version,
        aliases=[*_urn_aliases(request), *request.aliases],
        provider=request.provider or _inherited(request),
        providers=request.providers,
        plugin_download_url=request.pluginDownloadURL,
        deleted_with=request.deletedWith,
        additional_secret_outputs=request.additionalSecretOutputs,
    )
    setattr(options, "import", request.importId)
    if request.HasField("protect"):
        options.protect = request.protect
    if request.HasField("retainOnDelete"):
        options.retain_on_delete = request.retainOnDelete
    if request.HasField("customTimeouts"):
        options.custom_timeouts.CopyFrom(request.customTimeouts)
    if request.deleteBeforeReplaceDefined:
        options.delete_before_replace = request.deleteBeforeReplace
    return options


def _urn_aliases(request: Any) -> list[Any]:
    return [stubs("alias_pb2").Alias(urn=urn) for urn in request.aliasURNs]


def _inherited(request: Any) -> str:
    """The provider that a resource inherits: of several, the one of its own package."""
    return str(request.providers.get(request.type.split(":")[0], ""))


def _recorded(options: Any) -> dict[str, Any]:
    """The options that say something of the resource itself; what is not set is left out."""
    told = {
        "protect": options.protect,
        "retainOnDelete": options.retain_on_delete,
        "deletedWith": options.deleted_with,
        "ignoreChanges": list(options.ignore_changes),
        "replaceOnChanges": list(options.replace_on_changes),
        "aliases": sorted(alias.urn or alias.spec.name for alias in options.aliases),
        "import": getattr(options, "import"),
        "version": options.version,
        "additionalSecretOutputs": sorted(options.additional_secret_outputs),
    }
    return {name: value for name, value in told.items() if value}
