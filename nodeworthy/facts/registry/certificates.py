"""The certificate by which a hosts.toml trusts its cache, where the script that writes the one leaves out the other."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import file_left
from nodeworthy.facts.boot.written_text import has_hole
from nodeworthy.facts.registry.hosts_toml import HostsToml
from nodeworthy.verdict import Draft, Severity, fail

_NOT_LOADED = "containerd reads it at every pull, and the pull ends with: unable to read CA cert"


def missing_certificate(timeline: Timeline, file: HostsToml, *, is_stock: bool) -> Draft | None:
    """One that is to lie beside the hosts.toml. Elsewhere a certificate may be of the image; here it is only in one
    that somebody made."""
    folder = posixpath.dirname(file.write.path.known or "")
    for path in _certificates(file):
        if posixpath.dirname(path) != folder or not folder:
            continue
        left = file_left(timeline, path)
        if left.is_there or left.maybe is not None or timeline.not_understood(posixpath.basename(path), folder):
            continue
        return fail(
            file.reading.line_of(path),
            "its hosts.toml names a certificate that nothing here writes",
            is_=path,
            should="a file that the script writes before the first pull",
            severity=Severity.ERROR if is_stock else Severity.WARNING,
            cause=_NOT_LOADED,
            remedy=f"write the cache's certificate to {path}, or name the file in which it lies",
        )
    return None


def _certificates(file: HostsToml) -> Iterator[str]:
    hosts = file.reading.mapping.get("host")
    tables = [file.reading.mapping, *(hosts.values() if isinstance(hosts, Mapping) else ())]
    for table in tables:
        said = table.get("ca") if isinstance(table, Mapping) else None
        for each in said if isinstance(said, list) else [said]:
            if isinstance(each, str) and each.startswith("/") and not has_hole(each):
                yield each
