"""A hosts.toml that a script writes: where containerd goes by it, and what for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from nodeworthy.boot.effects import Writes
from nodeworthy.facts.boot.written_text import Reading, could_equal, toml_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Place, fail, unknown

CAPABILITIES = ("pull", "resolve", "push")
NAME = "hosts.toml"
BY_HTTPS = "the pull ends with: http: server gave HTTP response to HTTPS client"
PASSED_BY = f"{BY_HTTPS}, or another address is asked and the cache is never used"
VERIFIED = "skip_verify only trusts a certificate"
DROPPED = f"containerd drops a hosts.toml that it can't read and goes to https:// as if there were none; {BY_HTTPS}"
NOT_ASKED = f"what a host may not do is asked of the next one, in the end of https://; {BY_HTTPS}"
UNFILLED = "containerd fills in no variables, and there is no host of that name"
EMPTY = f"where a variable is empty, no host is left of the address, and in the end https:// is asked; {BY_HTTPS}"
_URL = pattern(r"(?:(?P<scheme>[a-z]+)://)?(?P<authority>[^/]*)")


@dataclass(frozen=True)
class Endpoint:
    url: str
    # None where a part of the URL that could hold it is not known.
    scheme: str | None
    authority: str
    capabilities: tuple[str, ...]
    place: Place

    def serves(self, capability: str) -> bool:
        return capability in self.capabilities

    @property
    def is_plain(self) -> bool:
        return self.scheme in ("http", None)

    @property
    def is_empty(self) -> bool:
        """`http://` alone: it names no host."""
        return self.authority == ""

    @property
    def is_unfilled(self) -> bool:
        """Whether a variable stands in it as it is: what is merely not known is a hole, and no `$`."""
        return "$" in self.authority or "`" in self.authority


@dataclass(frozen=True)
class HostsToml:
    # The folder that it lies in: the registry's name, or _default.
    folder: str
    write: Writes

    @cached_property
    def reading(self) -> Reading:
        return toml_of(self.write)

    @cached_property
    def endpoints(self) -> tuple[Endpoint, ...]:
        return tuple(self._endpoints())

    def unreadable(self) -> Draft | None:
        """What makes containerd drop the whole file: it then goes to https:// as if there were none."""
        reading = self.reading
        if reading.fault:
            return fail(
                reading.place,
                f"its hosts.toml is not TOML: {reading.fault}",
                should="a file that parses",
                cause=DROPPED,
            )
        return next(self._bad_capabilities(), None)

    def speaks_plainly(self, host: str) -> Draft | None:
        """What keeps containerd from pulling from this host over plain HTTP."""
        if self.reading.unknown:
            return unknown(self.reading.place, self.reading.unknown)
        flaw = self.unreadable()
        if flaw is not None:
            return flaw
        lacking = [each for each in ("resolve", "pull") if not self._serves(each, host)]
        return self._lacks(lacking, host) if lacking else self._unsure(host)

    def _unsure(self, host: str) -> Draft | None:
        """Where only an address would do whose beginning is filled in: that may be https:// as well."""
        for capability in ("resolve", "pull"):
            if not self._serves(capability, host, surely=True):
                filled = next(each for each in self.endpoints if each.scheme is None)
                shown = self.reading.shown(filled.url)
                says = f"whether its hosts.toml sends containerd to {host} over http:// is not known: it says {shown}"
                return unknown(filled.place, says)
        return None

    def asks_over_https(self, host: str) -> Draft | None:
        """A mirror that is named with https:// alone: containerd goes past it, to the registry that it mirrors."""
        *named, _ = self.endpoints
        ours = [each for each in named if each.authority == host]
        if not ours or any(each.is_plain for each in ours):
            return None
        says = "its hosts.toml sends containerd to the cache over https://, and the cache speaks plain HTTP"
        wanted = f'[host."http://{host}"] with capabilities = ["pull", "resolve"]'
        cause = PASSED_BY if "skip_verify" not in self._text else f"{PASSED_BY}; {VERIFIED}"
        return fail(ours[0].place, says, should=wanted, cause=cause, is_=self.reading.shown(ours[0].url))

    def own_flaw(self) -> Draft | None:
        """What is wrong with it by itself, whatever a fleet says."""
        flaw = self.unreadable()
        if flaw is None and self.says_plain_http and self.folder != "_default":
            flaw = self.speaks_plainly(self.folder)
        return flaw

    @property
    def says_plain_http(self) -> bool:
        return any(each.scheme == "http" for each in self.endpoints) or "http://" in self.reading.shown(self._text)

    @property
    def _text(self) -> str:
        content = self.reading.content
        return content.text.shown() if content is not None else ""

    def _serves(self, capability: str, host: str, *, surely: bool = False) -> bool:
        """Whether this host serves it, or another address, which then speaks for itself."""
        named = [each for each in self.endpoints if not (each.is_unfilled or each.is_empty)]
        serving = [each for each in named if each.serves(capability)]
        return any(
            each.scheme == "http" or (each.is_plain and not surely) or not could_equal(each.authority, host)
            for each in serving
        )

    def _lacks(self, lacking: list[str], host: str) -> Draft:
        shown = self.reading.shown
        wanted = f'[host."http://{host}"] with capabilities = ["pull", "resolve"]'
        unfilled = next((each for each in self.endpoints if each.is_unfilled and each.authority != host), None)
        if unfilled is not None:
            says = f"its hosts.toml literally says {shown(unfilled.url)}: nobody fills the variable in"
            unquoted = "a quoted heredoc and single quotes keep a $ as it is: unquote them, or write the name itself"
            return fail(unfilled.place, says, should=wanted, cause=UNFILLED, is_=shown(unfilled.url), remedy=unquoted)
        empty = next((each for each in self.endpoints if each.is_empty), None)
        if empty is not None:
            says = f"its hosts.toml says {shown(empty.url)} and names no host"
            return fail(empty.place, says, should=wanted, cause=EMPTY, is_=shown(empty.url))
        plain = next((each for each in self.endpoints if each.is_plain), None)
        if plain is not None:
            says = f"its hosts.toml does not let {shown(plain.url)} {' and '.join(sorted(lacking))}"
            return fail(plain.place, says, should=wanted, cause=NOT_ASKED, is_=", ".join(plain.capabilities))
        misspelt = next((name for name in self.reading.mapping if name in ("hosts", "Host", "mirror", "mirrors")), None)
        if misspelt is not None:
            says = f"its hosts.toml names its host in a table [{misspelt}…], which containerd does not read"
            return fail(self.reading.line_of(f"[{misspelt}"), says, should=wanted, cause=BY_HTTPS, is_=f"[{misspelt}…]")
        bare = next((each for each in self.endpoints if not _URL.match(each.url)["scheme"]), None)  # type: ignore[index]
        if bare is not None:
            says = f"its hosts.toml says {shown(bare.url)} without http://, and containerd then takes https://"
            return fail(bare.place, says, should=wanted, cause=BY_HTTPS, is_=shown(bare.url))
        first = self.endpoints[0]
        says = "its hosts.toml sends containerd to the cache over https://, and the cache speaks plain HTTP"
        cause = BY_HTTPS if "skip_verify" not in self._text else f"{BY_HTTPS}; {VERIFIED}"
        return fail(first.place, says, should=wanted, cause=cause, is_=shown(first.url))

    def _endpoints(self) -> Iterator[Endpoint]:
        reading, data = self.reading, self.reading.mapping
        hosts = data.get("host")
        for url, table in hosts.items() if isinstance(hosts, Mapping) else ():
            place = reading.line_of(f'host."{reading.shown(url)}"', f"host.'{reading.shown(url)}'", "[host")
            yield _endpoint(url, _capabilities(table), place)
        server = data.get("server")
        url = server if isinstance(server, str) and server else f"https://{self.folder}"
        yield _endpoint(url, _capabilities(data), reading.line_of("server"))

    def _bad_capabilities(self) -> Iterator[Draft]:
        hosts = self.reading.mapping.get("host")
        tables = [self.reading.mapping, *(hosts.values() if isinstance(hosts, Mapping) else ())]
        for table in (each for each in tables if isinstance(each, Mapping)):
            given = table.get("capabilities", [])
            known = isinstance(given, list) and all(str(each).lower() in CAPABILITIES for each in given)
            if not known:
                says = "its hosts.toml gives capabilities that containerd does not know"
                place = self.reading.line_of("capabilities")
                yield fail(
                    place, says, should='a list of "pull", "resolve", "push"', cause=DROPPED, is_=json.dumps(given)
                )


def _capabilities(table: object) -> tuple[str, ...]:
    """None given means all of them."""
    given: Any = table.get("capabilities") if isinstance(table, Mapping) else None
    named = tuple(str(each).lower() for each in given) if isinstance(given, list) else ()
    return named or CAPABILITIES


def _endpoint(url: str, capabilities: tuple[str, ...], place: Place) -> Endpoint:
    unknown_start = url.startswith("zzhole")
    match = _URL.match(url if "://" not in url or not unknown_start else url.split("://", 1)[1])
    scheme, authority = (match["scheme"], match["authority"]) if match else (None, url)
    return Endpoint(url, scheme or (None if unknown_start else "https"), authority, capabilities, place)
