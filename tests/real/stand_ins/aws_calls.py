"""Calls of AWS with a resource's properties, spelt and typed as botocore's models want them.

A property that a call does not know is refused, so that a misspelt one does not get lost on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import boto3

SCALARS = {"integer": int, "long": int, "string": str}


class Aws:
    """An account somewhere: in tests moto's."""

    account = "123456789012"

    def __init__(self, endpoint: str, region: str) -> None:
        self.region = region
        self._endpoint = endpoint
        self._session: Any = boto3.Session("made-up", "made-up", region_name=region)
        self._clients: dict[str, Any] = {}

    def client(self, service: str) -> Any:
        if service not in self._clients:
            self._clients[service] = self._session.client(service, endpoint_url=self._endpoint)
        return self._clients[service]

    def ec2(self, operation: str, given: Mapping[str, Any], renamed: Mapping[str, str] | None = None) -> Any:
        return self.call("ec2", operation, given, renamed)

    def call(
        self, service: str, operation: str, given: Mapping[str, Any], renamed: Mapping[str, str] | None = None
    ) -> Any:
        client = self.client(service)
        model = client.meta.service_model.operation_model(client.meta.method_to_api_mapping[operation])
        return getattr(client, operation)(**_shaped(model.input_shape, given, renamed or {}))


def _shaped(shape: Any, data: Any, renamed: Mapping[str, str]) -> Any:
    kind = shape.type_name
    if kind == "structure":
        members = {name.lower(): name for name in shape.members}
        found = {name: members.get(renamed.get(name, name).lower()) for name in data}
        if unknown := [name for name, member in found.items() if member is None]:
            raise ValueError(f"{shape.name} has no {', '.join(unknown)}")
        return {found[name]: _shaped(shape.members[found[name]], value, renamed) for name, value in data.items()}
    if kind == "list":
        if isinstance(data, Mapping):  # tags
            data = [{"key": key, "value": value} for key, value in data.items()]
        return [_shaped(shape.member, each, renamed) for each in data]
    if kind == "boolean":
        return data in (True, "true")
    return SCALARS[kind](data) if kind in SCALARS else data
