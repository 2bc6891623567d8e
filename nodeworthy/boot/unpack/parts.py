"""The step from a text whose type is known to a part: who reads it when, and what keeps it from being read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.origin import Origin, within
from nodeworthy.boot.unpack.kinds import SHELLS, Type, begins_as, interpreter
from nodeworthy.boot.userdata import FaultKind, Part, PartKind, UserDataFault
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

_READ = {
    Type.SHELL: (PartKind.SHELL, Stage.SCRIPTS),
    Type.PER_BOOT: (PartKind.SHELL, Stage.SCRIPTS),
    Type.PER_INSTANCE: (PartKind.SHELL, Stage.SCRIPTS),
    Type.PER_ONCE: (PartKind.SHELL, Stage.SCRIPTS),
    Type.BOOTHOOK: (PartKind.BOOTHOOK, Stage.BOOTHOOK),
    Type.CLOUD_CONFIG: (PartKind.CLOUD_CONFIG, Stage.BOOTCMD),
    Type.JSONP: (PartKind.OTHER, Stage.BOOTCMD),
    Type.INCLUDE: (PartKind.INCLUDE, Stage.BOOTHOOK),
    Type.INCLUDE_ONCE: (PartKind.INCLUDE, Stage.BOOTHOOK),
    Type.PART_HANDLER: (PartKind.OTHER, Stage.BOOTHOOK),
    Type.NODE_CONFIG: (PartKind.NODE_CONFIG, Stage.NODEADM_CONFIG),
    Type.BOTTLEROCKET: (PartKind.BOTTLEROCKET, Stage.NODEADM_CONFIG),
}
_DOCUMENTS = (PartKind.CLOUD_CONFIG, PartKind.NODE_CONFIG, PartKind.BOTTLEROCKET)
_FOLDERS = {Type.PER_BOOT: "per-boot", Type.PER_INSTANCE: "per-instance", Type.PER_ONCE: "per-once"}
_NOT_READ = {
    Type.JSONP: "a JSON patch of cloud-config",
    Type.INCLUDE: "a list of URLs: what stands there is read by cloud-init, and not by us",
    Type.INCLUDE_ONCE: "a list of URLs: what stands there is read by cloud-init, and not by us",
    Type.PART_HANDLER: "a part handler: a Python program that may do anything with the other parts",
}
# YAML and TOML larger than this are not read: EC2 takes 16 KiB, and gzip makes no more of it than this.
MOST_READ = 256 * 1024
# What cloud-init leaves of a file name.
_NAME = pattern(r"[^\w.()-]", re.ASCII)
_JINJA = pattern(r"\{\{|\{%")
# The kernel hands all that stands behind env over as one word.
# Lines of a template of which nothing is left, not even their ends.
_DIRECTIVES = pattern(r"(?:(?:%\{[^{}\n]*~\}|\{%[^\n%]*%\}|\{#[^#]*+#\}|\{\{[^{}\n]*-\}\})[ \t]*\n)+")
_ENV_WITH_OPTIONS = pattern(r"#!\s*\S*/env\s+([^-\s]\S*\s+\S.*)")
_BOOTHOOK = "#cloud-boothook"


@dataclass
class TypedText:
    """A text with its type, on the way to becoming a part."""

    text: str
    type: Type
    origin: Origin
    # How it is called in a sentence: "the user data", "part 2 (text/x-shellscript)".
    called: str = "the user data"
    number: int = 1
    content_type: str = ""
    file_name: str = ""
    merge: str = ""
    jinja: bool = False
    guard: Guard = ()
    unfilled: str = ""
    # A part with its header, and no multipart around it here.
    is_alone: bool = False

    def cut(self, lines: int, columns: int, text: str) -> None:
        self.origin = within(self.origin, lines, columns)
        self.text = text

    def strip(self) -> None:
        """Removes the white space before the first word."""
        text = self.text.lstrip()
        before = self.text[: len(self.text) - len(text)]
        lines = before.count("\n")
        # An indentation of the first line alone moves no column of the others; it is put back.
        indent = before[before.rfind("\n") + 1 :]
        if before != indent or indent:
            self.cut(lines, 0, text)


@dataclass
class Reading:
    parts: list[Part] = field(default_factory=list)
    faults: list[UserDataFault] = field(default_factory=list)
    # So many parts cloud-init numbers and then ignores.
    ignored: int = 0
    # Jinja or Go fills all of it in, before cloud-init sees it.
    braced: bool = False
    # Terraform does.
    template: bool = False
    # Of those that Ansible fills in, what is known.
    variables: Mapping[str, Tree] = field(default_factory=dict)

    @property
    def is_filled(self) -> bool:
        return self.braced or self.template

    def fault(
        self,
        kind: FaultKind,
        found: TypedText,
        message: str,
        remedy: str = "",
        *,
        line: int = 1,
        is_doubt: bool = False,
    ) -> None:
        self.faults.append(
            UserDataFault(kind, found.origin.at(line), f"{found.called} {message}", remedy, is_doubt=is_doubt)
        )

    def add(self, found: TypedText) -> None:
        if found.type is Type.JINJA and not self._rendered(found):
            self.put(found, PartKind.OTHER, Stage.SCRIPTS)
            return
        kind, stage = _READ[found.type]
        found.jinja = found.jinja or self.braced
        if kind in _DOCUMENTS and len(found.text) > MOST_READ:
            what = f"is larger than {MOST_READ // 1024} KiB, the most that is read of a {kind.value}"
            self.fault(FaultKind.TOO_LARGE, found, what, "write less into it", is_doubt=True)
            kind = PartKind.OTHER
        found.text = self._plain(found, is_script=kind in (PartKind.SHELL, PartKind.BOOTHOOK))
        if kind is PartKind.BOOTHOOK:
            self._without_prefix(found)
        if kind in (PartKind.SHELL, PartKind.BOOTHOOK):
            kind = self._started(found, kind)
        elif found.type in _NOT_READ:
            self.fault(FaultKind.NOT_READ_HERE, found, f"is {_NOT_READ[found.type]}", is_doubt=True)
        self.put(found, kind, stage)

    def put(self, found: TypedText, kind: PartKind, stage: Stage) -> None:
        first = found.text.split("\n", 1)[0].strip()
        self.parts.append(
            Part(
                kind,
                found.text,
                found.origin,
                stage,
                name=_NAME.sub("", found.file_name.replace("/", "_")).strip() or f"part-{found.number:03}",
                interpreter=first if first.startswith("#!") else "",
                content_type=found.content_type,
                called=found.called if found.content_type else "",
                folder=_FOLDERS.get(found.type, "scripts"),
                merge=found.merge,
                jinja=found.jinja,
                guard=found.guard,
                unfilled=found.unfilled,
            )
        )

    def put_playbook(self, found: TypedText) -> None:
        """Ansible fills in what stands in braces, and runs it; cloud-init never sees it."""
        from nodeworthy.boot.playbook.layout import as_script

        script = as_script(found.text, self.variables) if len(found.text) <= MOST_READ else None
        found.jinja = True
        if script is None:
            self.fault(FaultKind.NOT_READ_HERE, found, "is a playbook that can't be read as YAML", is_doubt=True)
        if script is not None and self.variables:
            found.unfilled = as_script(found.text) or ""
        found.text = found.text if script is None else script
        self.put(found, PartKind.OTHER if script is None else PartKind.PLAYBOOK, Stage.SCRIPTS)

    def _rendered(self, found: TypedText) -> bool:
        """A jinja template without its first line; whether what it becomes is of a known type."""
        found.strip()
        head, _, rest = found.text.partition("\n")
        if head.lower().startswith("## template: jinja"):
            found.cut(1, 0, rest)
        kind = begins_as(found.text)
        found.jinja = bool(_JINJA.search(found.text))
        if found.jinja and kind is Type.CLOUD_CONFIG:
            what = "is a jinja template: what cloud-init fills in when the node boots is not known"
            self.fault(FaultKind.NOT_READ_HERE, found, what, is_doubt=True)
        if kind is None or kind not in (Type.SHELL, Type.CLOUD_CONFIG, Type.BOOTHOOK):
            self.fault(FaultKind.NOBODY_READS_IT, found, "is a jinja template of nothing that cloud-init knows")
            return False
        found.type = kind
        return True

    def _plain(self, found: TypedText, *, is_script: bool) -> str:
        """The text without what no shell wants in it."""
        text = found.text
        if "\x00" in text and is_script:
            line = text.count("\n", 0, text.index("\x00")) + 1
            what = "holds a NUL byte: a shell takes such a file for a program of the machine, or skips the byte"
            self.fault(FaultKind.NUL, found, what, "remove it (tr -d '\\000' < FILE)", line=line)
        if is_script and "\r" in text.strip() and "\n" not in text.strip():
            what = "has carriage returns for line ends: the whole of it is one line, and nothing of it runs"
            self.fault(FaultKind.WINDOWS_LINE_ENDS, found, what, "convert it (tr '\\r' '\\n' < FILE)")
        if "\r\n" in text:
            if is_script:
                self._windows(found)
            # cloud-init takes them off where the first line has one.
            if not is_script or text[: text.index("\n")].endswith("\r"):
                text = text.replace("\r\n", "\n")
        return text.replace("\x00", "")

    def _windows(self, found: TypedText) -> None:
        first, rest = found.text.split("\r\n", 1)
        line = first.count("\n") + 1
        what = "has Windows line ends"
        if line > 1:
            what += " behind a first line that has none: cloud-init leaves them in, and every command gets a '\\r'"
        elif re.search(r"(?<!\r)\n", rest):
            what += " in some of its lines"
        else:
            what += ": started by anything but cloud-init, which takes them off, its interpreter is not found"
        self.fault(FaultKind.WINDOWS_LINE_ENDS, found, what, "convert it (sed -i 's/\\r$//' FILE)", line=line)

    def _without_prefix(self, found: TypedText) -> None:
        """Removes the prefix as cloud-init does: only at the very beginning, then any white space."""
        if not found.text.startswith(_BOOTHOOK):
            found.strip()
            if not found.text.lower().startswith(_BOOTHOOK):
                return
            what = "does not begin with '#cloud-boothook' exactly: cloud-init leaves that line in, and nothing starts"
            self.fault(FaultKind.NOT_AT_START, found, what, "let '#cloud-boothook' be the very first characters")
        rest = found.text[len(_BOOTHOOK) :]
        text = rest.lstrip()
        found.cut(rest[: len(rest) - len(text)].count("\n"), 0, text)

    def _started(self, found: TypedText, kind: PartKind) -> PartKind:
        """Whether it starts at all, and in which language it is."""
        if not found.text.startswith("#!"):
            before = found.origin.at(1)
            found.strip()
            if not found.text.startswith("#!"):
                self._without_first_line(found)
                return kind
            what = f"{found.called} has white space before '#!', so the kernel refuses it (Exec format error)"
            remedy = "let '#!' be its first two characters"
            self.faults.append(UserDataFault(FaultKind.NOT_AT_START, before, what, remedy))
        first = found.text.split("\n", 1)[0]
        if (by_env := _ENV_WITH_OPTIONS.match(first)) is not None:
            what = f"never starts: env looks for one program with the name '{by_env[1]}'"
            self.fault(
                FaultKind.OPTIONS_BEHIND_ENV, found, what, "#!/usr/bin/env -S bash -x, or `set -x` in a line of its own"
            )
        program = interpreter(first)
        if program in SHELLS:
            return kind
        what = f"is a script for {program or 'nobody'}: only shell is read here"
        self.fault(FaultKind.NOT_READ_HERE, found, what, is_doubt=True)
        return PartKind.OTHER_LANGUAGE

    def _without_first_line(self, found: TypedText) -> None:
        directives = _DIRECTIVES.match(found.text)
        if directives is not None and found.text.startswith("#!", directives.end()):
            return
        if found.text.startswith(("${", "%{", "{{", "{%")):
            # Who fills in one part of several says what it is; of all that there is somebody has to be asked.
            if found.content_type:
                return
            what = "begins with what a template puts in: whether that is a first line with '#!' is not known"
            self.fault(FaultKind.NO_SHEBANG, found, what, "begin it with #!/bin/bash", is_doubt=True)
            return
        what = "has no first line that says who runs it, so the kernel refuses it (Exec format error)"
        # What says of itself that it is a script is started, whatever it begins with.
        if found.type is Type.BOOTHOOK or found.content_type.startswith(Type.SHELL):
            self.fault(FaultKind.PART_WITHOUT_SHEBANG, found, what, "begin it with #!/bin/bash")
            return
        if not found.content_type and found.type is Type.SHELL:
            # Of all else cloud-init asks the first characters.
            what = (
                "has no first line that says who runs it: cloud-init takes it for no script, warns (Unhandled "
                "non-multipart (text/x-not-multipart) userdata) and leaves it out"
            )
        self.fault(FaultKind.NO_SHEBANG, found, what, "begin it with #!/bin/bash")
