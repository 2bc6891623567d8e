"""The toolkit's config and socket, where they are wrong wherever this runs: no distribution has them both, or such."""

from __future__ import annotations

import posixpath

from nodeworthy.facts.operator.paths_of import having_its_paths, whose_template
from nodeworthy.facts.operator.values import ToolkitSettings
from nodeworthy.known.containerd import Containerd, bare, defaults
from nodeworthy.known.operator_parts import CONFIG, SOCKET
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Known, Located, Related, fail

_STOCK_FOLDER, _OF_A_TEMPLATE = posixpath.dirname(defaults().config) + "/", (".tmpl", ".tpl", ".template")
CAUSE = (
    "the toolkit writes the NVIDIA runtime into the config of one containerd and has another read it: "
    'kubelet\'s then says: no runtime for "nvidia" is configured'
)

OF_A_TEMPLATE = (
    "the distribution makes its config from this template at every start: with what the toolkit writes there, "
    "its containerd no longer comes up after the next one"
)


@dataclass(frozen=True)
class TemplateForConfig:
    """A file for people to edit, which is nowhere the toolkit's."""

    path: Located[str]
    whose: Containerd

    def told(self) -> Draft:
        return fail(
            self.path,
            f"{CONFIG} is a template for people to edit: what the toolkit writes breaks the node at its next boot",
            should=self.whose.config,
            cause=OF_A_TEMPLATE,
            remedy=f"set {CONFIG} in toolkit.env to {self.whose.config}, or leave it out: {SOCKET} is enough",
        )


@dataclass(frozen=True)
class NobodysTemplate:
    """A template that the containerd of the socket beside it is not made from: nothing reads what is written there."""

    path: Located[str]
    socket: Located[str]
    # Whose containerd the socket is.
    others: tuple[Containerd, ...]

    def told(self) -> Draft:
        whose = " or ".join(each.distribution for each in self.others)
        return fail(
            self.path,
            f"{CONFIG} is a template that the containerd of {SOCKET} is not made from: nobody reads it",
            should=" or ".join(f"{each.config} ({each.distribution})" for each in self.others),
            related=[Related(self.socket.place, f"{SOCKET} is that of {whose}")],
            cause=CAUSE,
            remedy=f"set {CONFIG} in toolkit.env to that of {whose}{self._or_without}",
        )

    @property
    def _or_without(self) -> str:
        is_enough = all(each.config_optional for each in self.others)
        return f", or leave it out: {SOCKET} is enough" if is_enough else ""


@dataclass(frozen=True)
class PathsApart:
    """The one to change, and the other, with what has it beside that one."""

    name: str
    path: Located[str]
    other_name: str
    other: Located[str]
    # Whose containerd the other path is.
    others: tuple[Containerd, ...]

    @property
    def should(self) -> str:
        right = ((each.config if self.name == CONFIG else each.socket, each.distribution) for each in self.others)
        by_path: dict[str, list[str]] = {}
        for path, distribution in right:
            by_path.setdefault(path or "", []).append(distribution)
        return " or ".join(f"{path} ({', '.join(names)})" for path, names in by_path.items())

    def told(self) -> Draft:
        whose = " or ".join(each.distribution for each in self.others)
        written = self.path.written
        says = f"{self.name} is" if written else f"{self.name} is not set, and the operator's default is"
        return fail(
            self.path.place if written else self.other.place,
            f"{says} of another containerd than {self.other_name}",
            is_=self.path.shown(),
            should=self.should,
            related=[Related(self.other.place, f"{self.other_name} is that of {whose}")],
            cause=CAUSE,
            remedy=f"set {self.name} in toolkit.env to that of {whose}, or both to those of what these nodes run",
        )


def paths_apart(toolkit: ToolkitSettings) -> PathsApart | TemplateForConfig | NobodysTemplate | None:
    """None where one distribution may have both, or where one of them is a path that no distribution is known for."""
    template = whose_template(toolkit)
    if template is not None:
        return TemplateForConfig(toolkit.config, template)
    having = having_its_paths(toolkit)
    if having.both or not having.socket:
        return None
    if not having.config:
        is_ours = having.is_stock(having.socket) or not _is_a_template(toolkit.config)
        return None if is_ours else NobodysTemplate(toolkit.config, toolkit.socket, having.socket)
    # Whoever wrote a path that is nobody's default meant it; the other was left as it was, or copied.
    if having.is_stock(having.socket) and not having.is_stock(having.config):
        return PathsApart(SOCKET, toolkit.socket, CONFIG, toolkit.config, having.config)
    return PathsApart(CONFIG, toolkit.config, SOCKET, toolkit.socket, having.socket)


def _is_a_template(path: Located[str]) -> bool:
    """One of containerd's own place alone: below another data dir there may be one that is read."""
    written = bare(path.state.value) if isinstance(path.state, Known) else None
    return written is not None and written.startswith(_STOCK_FOLDER) and written.endswith(_OF_A_TEMPLATE)
