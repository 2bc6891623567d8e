"""Made-up outputs, for the run in which boot scripts are to be read whole.

Only texts are made up, each with a token in it by which it is recognised wherever it turns up; a number, a flag or a
mapping could not be told from a real one, so those stay unknown.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from nodeworthy.collect.plan.protocol import SIGNATURE, UNKNOWN, Wire
from nodeworthy.patterns import pattern

TEXT = "text"  # of a shape: an output that is a string
_TOKEN = pattern(r"standin[0-9a-f]{12}")
ACCOUNT = "000000000000"


class StandIns:
    """Every value that was made up, and the output that it stands for."""

    def __init__(self, region: str | None, variant: str = "") -> None:
        # Told apart from the values of another run by what they say and by how long they are.
        self._variant = variant
        self._region = region or "us-east-1"
        self._origins: dict[str, str] = {}
        self._holders: dict[str, str] = {}
        # Made-up values whose token can't be seen (base64).
        self._hidden: dict[str, str] = {}

    def identity(self, urn: str, kind: str) -> str:
        token = self._token(urn, "id")
        return f"{kind.rsplit(':', 1)[-1].lower()}-{token}"

    def output(self, urn: str, path: str) -> str:
        token = self._token(urn, path)
        name = re.sub(r"\[\d+\]$", "", path.rsplit(".", 1)[-1]).lower()
        holder = urn.split("::")[2].rsplit("$", 1)[-1]
        if name.endswith("arn"):
            service = holder.split(":")[1].split("/")[0] if ":" in holder else "service"
            return f"arn:aws:{service}:{self._region}:{ACCOUNT}:{token}"
        if path.lower().startswith("certificateauthorit"):
            return self._certificate(token)
        if name in ("endpoint", "url", "issuer", "uri"):
            return f"https://{token}.{self._region}.example.amazonaws.com"
        if name.endswith(("dnsname", "domain", "hostname", "address", "host")):
            return f"{token}.{self._region}.example.amazonaws.com"
        return f"{urn.rsplit('::', 1)[-1].lower()}-{token}" if name == "name" else token

    def origin(self, text: str) -> str | None:
        """The output that a text was made from, where it holds a made-up value."""
        found = _TOKEN.search(text)
        if found:
            return self._origins.get(found.group(), "an output of the program")
        return next((origin for value, origin in self._hidden.items() if value in text), None)

    def holder(self, text: str) -> str:
        """The URN of the resource whose output it is; empty where that can't be told."""
        found = _TOKEN.search(text)
        return self._holders.get(found.group(), "") if found else ""

    def inside(self, data: Wire) -> str | None:
        """The same for anything that travels."""
        if isinstance(data, str):
            return self.origin(data)
        parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
        return next((origin for part in parts if (origin := self.inside(part))), None)

    def _token(self, urn: str, path: str) -> str:
        token = "standin" + hashlib.sha256(f"{self._variant}{urn} {path}".encode()).hexdigest()[:12] + self._variant
        self._origins[token] = f"{path} of {urn.rsplit('::', 1)[-1]}"
        self._holders[token] = urn
        return token

    def _certificate(self, token: str) -> str:
        text = f"-----BEGIN CERTIFICATE-----\n{token}\n-----END CERTIFICATE-----\n"
        encoded = base64.b64encode(text.encode()).decode()
        self._hidden[encoded] = self._origins[token]
        return encoded


def outputs(inputs: Mapping[str, Wire], shape: Mapping[str, Any], urn: str, made: StandIns | None) -> dict[str, Wire]:
    """The inputs, and for every output beside them a stand-in, or that it is unknown."""
    return _filled(inputs, shape, "", urn, made)


def _filled(
    given: Mapping[str, Wire], shape: Mapping[str, Any], path: str, urn: str, made: StandIns | None
) -> dict[str, Wire]:
    result = dict(given)
    for name, kind in shape.items():
        here = f"{path}.{name}" if path else name
        result[name] = _within(given[name], kind, here, urn, made) if name in given else _make(kind, here, urn, made)
    return result


def _within(value: Wire, kind: Any, path: str, urn: str, made: StandIns | None) -> Wire:
    """What the program gave stays as it is; what its type has besides is an output too."""
    if isinstance(kind, dict) and isinstance(value, dict) and SIGNATURE not in value:
        return _filled(value, kind, path, urn, made)
    if isinstance(kind, list) and isinstance(value, list):
        return [_within(each, kind[0], f"{path}[{index}]", urn, made) for index, each in enumerate(value)]
    return value


def _make(kind: Any, path: str, urn: str, made: StandIns | None) -> Wire:
    if made is None:
        return UNKNOWN
    if kind == TEXT:
        return made.output(urn, path)
    if isinstance(kind, list):
        return [_make(kind[0], f"{path}[0]", urn, made)]
    if isinstance(kind, dict):
        return {name: _make(inner, f"{path}.{name}", urn, made) for name, inner in kind.items()}
    return UNKNOWN
