"""The resource monitor: answers as the real engine does in a first preview, and writes down what is registered."""

# The methods are named and called by the protocol.
# ruff: noqa: N802, ARG002

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from nodeworthy.collect.plan import standins
from nodeworthy.collect.plan.answers import Answers, Question
from nodeworthy.collect.plan.manifests import TEMPLATE, decode_call, options_of, with_what_it_was_given
from nodeworthy.collect.plan.plan import PreviewedPlan, Resource, urn_of
from nodeworthy.collect.plan.project import shown_path
from nodeworthy.collect.plan.protocol import (
    UNKNOWN,
    Wire,
    from_struct,
    grpc,
    holds_unknown,
    into_struct,
    plain_outputs,
    stubs,
)
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.collect.plan.transforms import Transforms
from nodeworthy.limits import MOST_COMPONENTS_ABOVE
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

OUR_OWN_FRAMES = str(Path(__file__).with_name("language_host.py"))


@dataclass
class Registry:
    """What one run has said so far."""

    project: str
    stack: str
    root: str
    resources: dict[str, Resource] = field(default_factory=dict)
    outputs: dict[str, Wire] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    answered: dict[str, tuple[str, Mapping[str, Any], Mapping[str, Any]]] = field(default_factory=dict)
    # What charts were given, each by itself: the question may come before the component is registered.
    charts: list[Mapping[str, Any]] = field(default_factory=list)
    shapes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    finished: bool = False
    # Why the program is not followed any further.
    refused: str = ""
    # How many lie above each, of those that were registered.
    depths: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(self) -> PreviewedPlan:
        found = sorted((each for each in self.resources.values() if not each.is_stack), key=lambda each: each.urn)
        given = tuple(with_what_it_was_given(each, self.charts) for each in found)
        asked = tuple(each for _, each in sorted(self.answered.items()))
        return PreviewedPlan(self.project, self.stack, given, dict(self.outputs), self.finished, asked)

    def add(self, resource: Resource) -> bool:
        """False where another one has this URN already."""
        with self.lock:
            if resource.urn in self.resources and not (resource.read or self.resources[resource.urn].read):
                return False
            self.resources[resource.urn] = resource
            self.depths[resource.urn] = self.depths.get(resource.parent or "", -1) + 1
            return True

    def lies_too_deep(self, parent: str, name: str) -> bool:
        """One of which the program is not followed any further, and why is kept."""
        if self.depths.get(parent, 0) <= MOST_COMPONENTS_ABOVE:
            return False
        self.refused = f"the program nests its components deeper than {MOST_COMPONENTS_ABOVE}, as far as it is followed"
        self.refused += f" ('{name}' is the first of them)"
        return True

    def trail(self, request: Any) -> tuple[Place, ...]:
        """The project's own lines that led here, the innermost first: the SDK may name lines of its own (`.get()`).
        What a component makes later, in a callback of the SDK, was led to by what led to the component."""
        frames = [frame.pc for frame in request.stackTrace.frames] or [request.sourcePosition]
        paths = [unquote(urlparse(frame.uri).path) for frame in frames]
        own = tuple(
            Place(path=shown_path(Path(path)), line=frame.line or None, column=frame.column or None)
            for frame, path in zip(frames, paths, strict=True)
            if path.startswith(self.root + "/") and "site-packages" not in path and path != OUR_OWN_FRAMES
        )
        above = self.resources.get(request.parent)
        return own or (above.trail if above is not None else ())


class Monitor:
    """The servicer behind `pulumirpc.ResourceMonitor`."""

    def __init__(self, registry: Registry, answers: Answers, made: StandIns | None) -> None:
        self._registry = registry
        self._answers = answers
        self._made = made
        self._transforms = Transforms()
        self._messages = stubs("resource_pb2")
        self._empty = stubs("resource_pb2").google_dot_protobuf_dot_empty__pb2.Empty

    def RegisterPackage(self, request: Any, context: Any) -> Any:
        parts = (request.name, request.version, request.parameterization.name, request.parameterization.version)
        return self._messages.RegisterPackageResponse(ref="@".join(filter(None, parts)))

    # --- resources

    def RegisterResource(self, request: Any, context: Any) -> Any:
        registry = self._registry
        parent = request.parent or None
        if registry.lies_too_deep(request.parent, request.name):
            context.abort(grpc().StatusCode.RESOURCE_EXHAUSTED, registry.refused)
        urn = urn_of(registry.stack, registry.project, parent, request.type, request.name)
        changed = self._transforms.applied(request, urn, context)
        inputs = plain_outputs(from_struct(changed.inputs))
        resource = Resource(
            urn,
            request.type,
            request.name,
            parent,
            inputs,
            custom=request.custom,
            remote=request.remote,
            provider=changed.provider,
            dependencies=tuple(sorted(changed.dependencies)),
            property_dependencies={
                name: tuple(sorted(each.urns)) for name, each in sorted(request.propertyDependencies.items())
            },
            trail=registry.trail(request),
            options=changed.options,
        )
        if not registry.add(resource):
            context.abort(grpc().StatusCode.ALREADY_EXISTS, self._twice(resource))
        response = self._messages.RegisterResourceResponse(urn=urn, id=self._identity(resource))
        into_struct(self._outputs(resource), response.object)
        return response

    def RegisterResourceOutputs(self, request: Any, context: Any) -> Any:
        resource = self._registry.resources.get(request.urn)
        if resource is not None and resource.is_stack:
            self._registry.outputs = plain_outputs(from_struct(request.outputs))
            self._registry.finished = True
        return self._empty()

    def ReadResource(self, request: Any, context: Any) -> Any:
        registry = self._registry
        parent = request.parent or None
        urn = urn_of(registry.stack, registry.project, parent, request.type, request.name)
        resource = Resource(
            urn,
            request.type,
            request.name,
            parent,
            plain_outputs(from_struct(request.properties)),
            read=True,
            provider=request.provider,
            dependencies=tuple(sorted(request.dependencies)),
            trail=registry.trail(request),
            options={"id": request.id},
        )
        registry.add(resource)
        # The CLI says no id here either, and the SDK takes it for unknown; only the simulated run knows it.
        response = self._messages.ReadResourceResponse(urn=urn, id=request.id if self._made is not None else "")
        into_struct(standins.outputs({}, self._shape(resource), urn, self._made), response.properties)
        return response

    def _twice(self, resource: Resource) -> str:
        trails = (self._registry.resources[resource.urn].trail, resource.trail)
        places = dict.fromkeys(f"{each[0].path}:{each[0].line}" for each in trails if each)
        told = f" ({' and '.join(places)})" if places else ""
        return f"Duplicate resource URN '{resource.urn}'; try giving it a unique name{told}"

    def _identity(self, resource: Resource) -> str:
        """The id of a resource. Nothing has one before it exists; the SDK reads the empty id as unknown."""
        if self._made is None or not resource.custom or resource.remote:
            return ""
        return self._made.identity(resource.urn, resource.type)

    def _outputs(self, resource: Resource) -> dict[str, Wire]:
        if resource.remote or self._is_of_an_unknown_provider(resource):
            return {}
        return standins.outputs(resource.inputs, self._shape(resource), resource.urn, self._made)

    def _is_of_an_unknown_provider(self, resource: Resource) -> bool:
        """The engine does not ask one whose own inputs are not known yet, and then knows nothing of its resources."""
        provider = self._registry.resources.get(resource.provider.rpartition("::")[0])
        return provider is not None and holds_unknown(provider.inputs)

    def _shape(self, resource: Resource) -> Mapping[str, Any]:
        return self._registry.shapes.get(resource.type, {})

    # --- questions

    def Invoke(self, request: Any, context: Any) -> Any:
        args = self._transforms.invoke(request.tok, request, context)
        response = self._messages.ResourceInvokeResponse()
        if request.tok == "pulumi:pulumi:getResource":
            into_struct(self._known_resource(str(args.get("urn"))), getattr(response, "return"))
            return response
        if request.tok == TEMPLATE:
            self._registry.charts.append(options_of(args))
            response.unknown = True
            return response
        waits = any(self._is_new(urn) for urn in request.dependsOn)
        if waits or holds_unknown(args) or (self._made is not None and self._made.inside(args)):
            # Nobody can answer a question about something that does not exist yet.
            response.unknown = True
            return response
        question = Question(request.tok, args)
        answer = decode_call(question.call, args) or self._answers.to(question)
        if answer is None:
            with self._registry.lock:
                self._registry.questions.append(question)
            context.abort(grpc().StatusCode.FAILED_PRECONDITION, f"nobody has answered {request.tok}")
        else:
            self._registry.answered[question.key] = (question.call, question.arguments, answer)
            into_struct(answer, getattr(response, "return"))
        return response

    def _is_new(self, urn: str) -> bool:
        resource = self._registry.resources.get(urn)
        return resource is not None and resource.custom and not resource.read

    def _known_resource(self, urn: str) -> dict[str, Wire]:
        resource = self._registry.resources.get(urn)
        state = self._outputs(resource) if resource else {}
        return {"urn": urn, "id": (resource and self._identity(resource)) or UNKNOWN, "state": state}

    def Call(self, request: Any, context: Any) -> Any:
        """A method of a component or a provider: only its own provider could answer."""
        response = self._messages.CallResponse()
        into_struct({"__unknown": UNKNOWN}, getattr(response, "return"))
        return response

    # --- transforms and hooks

    def RegisterStackTransform(self, request: Any, context: Any) -> Any:
        self._transforms.on_stack(request)
        return self._empty()

    def RegisterStackInvokeTransform(self, request: Any, context: Any) -> Any:
        self._transforms.on_invokes(request)
        return self._empty()

    def RegisterResourceHook(self, request: Any, context: Any) -> Any:
        """Hooks surround operations, and a preview performs none."""
        return self._empty()

    RegisterErrorHook = RegisterResourceHook

    def SignalAndWaitForShutdown(self, request: Any, context: Any) -> Any:
        return self._empty()
