"""Whether k3s and RKE2 find what stands in their registries.yaml: in another shape it is passed over, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.facts.boot.written_text import Reading, has_hole
from nodeworthy.verdict import Draft, Severity, fail

_ENDPOINT = "endpoint"
_NEARLY = ("endpoints", "Endpoint", "mirror", "mirrors", "url", "urls")
# Where each of them belongs.
_LOGIN = {
    **dict.fromkeys(("username", "password", "identity_token"), "auth"),
    **dict.fromkeys(("insecure_skip_verify", "ca_file", "cert_file", "key_file", "skip_verify"), "tls"),
}
_PASSED_BY = "k3s and RKE2 read no such key, and say nothing: "


def shape_flaws(reading: Reading) -> Iterator[Draft]:
    """The first of each table."""
    if reading.unknown or reading.fault:
        return
    for name, of_table in (("mirrors", _mirror), ("configs", _config)):
        rows = reading.mapping.get(name)
        found = (of_table(reading, str(host), row) for host, row in (rows if isinstance(rows, Mapping) else {}).items())
        yield from filter(None, [next(filter(None, found), None)])


def _mirror(reading: Reading, host: str, row: Any) -> Draft | None:
    if not isinstance(row, Mapping) or has_hole(host):
        return None
    said = row.get(_ENDPOINT)
    if isinstance(said, str) and not has_hole(said):
        return fail(
            reading.line_of(said),
            f"k3s and RKE2 can't read the endpoint of {host}: it is no list",
            is_=f"{_ENDPOINT}: {said}",
            should=f"{_ENDPOINT}: [{said}]",
            cause="they end over it as they start: cannot unmarshal string into []string",
            remedy=f"write {_ENDPOINT}: as a list, with a dash before each address",
        )
    nearly = next((each for each in _NEARLY if each in row), None)
    if _ENDPOINT in row or nearly is None:
        return None
    return fail(
        reading.line_of(f"{nearly}:"),
        f"nothing mirrors {host}: {nearly} is no key of registries.yaml",
        is_=nearly,
        should=_ENDPOINT,
        cause=f"{_PASSED_BY}images of {host} come from {host} itself",
        remedy=f"write {_ENDPOINT}:",
        severity=Severity.WARNING,
    )


def _config(reading: Reading, host: str, row: Any) -> Draft | None:
    if has_hole(host):
        return None
    if "://" in host:
        return fail(
            reading.line_of(host),
            f"configs of registries.yaml names a URL: {host}",
            is_=host,
            should=host.partition("://")[2].partition("/")[0],
            cause="it is looked for by the registry's host and port: nobody logs in, and no certificate of it is taken",
            remedy="write the host and its port, without http:// or https://",
            severity=Severity.WARNING,
        )
    above = next((each for each in _LOGIN if isinstance(row, Mapping) and each in row), None)
    if above is None:
        return None
    return fail(
        reading.line_of(f"{above}:"),
        f"{above} of {host} stands beside {_LOGIN[above]}, where nobody reads it",
        is_=f"{host}.{above}",
        should=f"{host}.{_LOGIN[above]}.{above}",
        cause=f"{_PASSED_BY}nobody logs in, and no certificate of it is taken",
        remedy=f"write {_LOGIN[above]}: above it, and indent it",
        severity=Severity.WARNING,
    )
