"""Repositories of packages that have been switched off: the table of `repositories.toml`, typed."""

from __future__ import annotations

import re
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# What containerd and Docker are told of where to pull images.
_OF_IMAGES = pattern(
    r"[ \t]*\"?registry-mirrors\"?\s*[:=]\s*\[[^\]]*\]|^[^\n]*(?:registry\.(?:mirrors|configs)|\bendpoint\s*=|"
    r"registry-mirror|sandbox_image|--image-repository|imageRepository)[^\n]*$",
    re.MULTILINE,
)
# A mirror of something else: of a distribution's own packages, of Docker's, of a language's.
_OF_SOMETHING_ELSE = pattern(
    r"(?i)ubuntu|debian|raspbian|centos|rocky|alma|fedora|epel|archlinux|alpine|docker|pypi|\bpip\b|npm|golang|goproxy|grafana"
)


@dataclass(frozen=True)
class GoneRepository:
    urls: tuple[str, ...]
    packages: tuple[str, ...]
    since: str
    instead: str
    others: tuple[str, ...]

    def named_in(self, line: str) -> str:
        """The repository's address as it stands in a line; empty where none does."""
        return next((each for each in self.urls if f"//{each}" in line), "")

    def has_another(self, text: str) -> bool:
        """Whether a text names somebody else who has the packages. Mirrors of images and of others have none."""
        rows = _OF_IMAGES.sub("", text).split("\n")
        rest = "\n".join(row for row in rows if "kube" in row or _OF_SOMETHING_ELSE.search(row) is None)
        for each in self.urls:
            rest = rest.replace(each, "")
        return any(each in rest for each in self.others)


@cache
def gone_repositories() -> tuple[GoneRepository, ...]:
    table = table_of("repositories")
    return tuple(
        GoneRepository(
            tuple(each["urls"]), tuple(each["packages"]), each["since"], each["instead"], tuple(each["others"])
        )
        for each in table["gone"]
    )
