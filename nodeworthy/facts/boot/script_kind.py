"""The occasion on which a script runs: a machine's first boot, a person's command, or the build of an image."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path, PurePath

from nodeworthy.boot.userdata import PartKind, UserData
from nodeworthy.facts.surroundings import Reference, Surroundings
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Related

# What a file makes of another one that it names: user data, a step of an image, something that a person runs.


class Role(StrEnum):
    USER_DATA = "user data"
    STARTUP = "startup script"
    IMAGE = "image build"
    CONTAINER = "container"
    BY_HAND = "by hand"


# How far back the word may stand that says what a name is for, where no block begins between them.
_BACK = 1500
_AHEAD = 120
# In Terraform, Packer, CloudFormation, eksctl, Cluster API, Pulumi programs and commands.
_USER_DATA = rb"user[-_]?data|cloudinit|cloud[-_]init|custom[-_]?data|bootstrap_user|OverrideBootstrapCommand|cicustom"
_STARTUP = rb"startup[-_]?script|CustomScript|custom[-_]script|commandToExecute"
_IMAGE = rb"virt-customize|virt-builder|\bprovisioners\b|\bprovisioner\s+\"(?:shell|ansible|file)"
_BY_HAND = rb"remote-exec|local-exec|\bssh\b|\bscp\b|\bscript:|null_resource|bash\s+-s"
_WORDS = pattern(
    rb"(?i)(?P<USER_DATA>" + _USER_DATA + rb")|(?P<STARTUP>" + _STARTUP + rb")|(?P<IMAGE>" + _IMAGE
    + rb")|(?P<BY_HAND>" + _BY_HAND + rb")"
)  # fmt: skip
# Where another block of the file begins.
_BLOCK = pattern(rb"\n(?=[A-Za-z#@}\[])")
_IS_PACKER = pattern(rb"(?m)^\s*packer\s*\{|^source\s+\"|\"builders\"\s*:|\"provisioners\"\s*:")
_CONTAINER_FILE = pattern(r"(?i)(?:^|[.-])(?:dockerfile|containerfile)(?:$|[.-])")
_RUN = pattern(rb"(?i)(?:^|\n)[ \t]*RUN\b[^\n]*(?:\\\r?\n[^\n]*)*\Z")
# `…/worker-userdata.sh > /tmp/user-data`: a program is run here, and what it prints is used.
_PRINTS = pattern(rb"[\"']?[ \t]+>>?[ \t]*[^\s>&]")
_IS_PRINTED_TO = pattern(rb"[^>]>>?[ \t]*[\"']?\Z")
# `linux/cloud-init/artifacts/`: a folder on the way to it says nothing of what this place makes of it.
_FOLDERS = pattern(rb"[\w./-]{0,200}/\Z")
# `x = templatefile("…/boot.sh")`, to be used by its name further down.
_ASSIGNED = pattern(rb"(?m)(?<![A-Za-z_])([A-Za-z_]\w{0,200}+)\s*+[:=]\s*[^\n=]{0,200}\Z")


def roles_of(reference: Reference, around: Surroundings | None) -> Iterator[Role]:
    """What this place makes of the file; nothing where it only names it."""
    data = around.read(reference.path) if around is not None else None
    if data is None:
        return
    before = data[max(0, reference.offset - _BACK) : reference.offset]
    behind = data[reference.offset : reference.offset + _AHEAD]
    name = reference.path.name
    if _IS_PRINTED_TO.search(before):
        return  # what another command prints, called like this file by chance
    if _PRINTS.match(behind[len(reference.name.encode()) :]):
        yield Role.BY_HAND
        return
    if _CONTAINER_FILE.search(name):
        yield Role.IMAGE if _RUN.search(before) else Role.CONTAINER
        return
    if name.endswith((".pkr.hcl", ".pkr.json")) or (name.endswith((".json", ".hcl")) and _IS_PACKER.search(data)):
        yield Role.USER_DATA if b"user_data" in _line(data, reference.offset) else Role.IMAGE
        return
    told = _nearest(_FOLDERS.sub(b"", before), behind)
    if told is not None:
        yield told
    elif _is_used_as_user_data(before, data):
        yield Role.USER_DATA


def _nearest(before: bytes, behind: bytes) -> Role | None:
    """The role by the last word before it in its own block; else by what its own line goes on to say."""
    within = _BLOCK.split(before)[-1]
    words = list(_WORDS.finditer(within))
    found = words[-1] if words else _WORDS.search(behind.split(b"\n", 1)[0])
    return Role[str(found.lastgroup)] if found is not None else None


def _is_used_as_user_data(before: bytes, data: bytes) -> bool:
    """What it was assigned to is user data elsewhere in the same file."""
    line = before.rsplit(b"\n", 1)[-1]
    above = before.rsplit(b"\n", 2)[-2:-1] or [b""]
    assigned = _ASSIGNED.search(line) or _ASSIGNED.search(above[0] + b" " + line.strip())
    if assigned is None:
        return False
    name = re.escape(assigned[1])
    return re.search(rb"(?i)(?:" + _USER_DATA + rb")\w*[\"']?\s*[:=][^\n]{0,200}\b" + name + rb"\b", data) is not None


def _line(data: bytes, offset: int) -> bytes:
    begin = data.rfind(b"\n", 0, offset) + 1
    return data[begin:offset]


class ScriptKind(StrEnum):
    # What cloud-init is given, or whoever reads in its place (nodeadm, Bottlerocket).
    USER_DATA = "user data"
    # What another agent runs at boot: Google's startup-script, Azure's extensions.
    STARTUP = "a startup script"
    BY_HAND = "a script"
    # What stands on the disk when it is done is an image's; nothing of it is a machine that runs.
    IMAGE_BUILD = "the build of an image"
    CONTAINER = "a container's script"


_OF_ROLE = {
    Role.USER_DATA: ScriptKind.USER_DATA,
    Role.STARTUP: ScriptKind.STARTUP,
    Role.IMAGE: ScriptKind.IMAGE_BUILD,
    Role.CONTAINER: ScriptKind.CONTAINER,
    Role.BY_HAND: ScriptKind.BY_HAND,
}
# The first of these that any file gives it decides.
_ORDER = (Role.USER_DATA, Role.STARTUP, Role.IMAGE, Role.BY_HAND, Role.CONTAINER)
# How many places that name it are looked at.
_MOST = 64
_CALLED_USER_DATA = pattern(r"(?i)(?:^|[-_.])(?:user[-_]?data|cloud[-_]?init|boothook)(?=$|[-_.\d])")
_CALLED_STARTUP = pattern(r"(?i)(?:^|[-_.])startup(?:[-_]?script)?(?=$|[-_.\d])")
# What Packer sets for whatever it runs.
_OF_PACKER = pattern(
    r"\bPACKER_(?:BUILD_NAME|BUILDER_TYPE|HTTP_ADDR)\b|\bPacker variable\b", words=("PACKER_", "Packer variable")
)
_PACKERS = ".pkr.hcl"
_OF_GOOGLE = pattern(r"metadata\.google\.internal|computeMetadata")
_IMAGE_FOLDERS = frozenset(("packer", "provisioners", "image-builder", "imagebuilder", "virt-customize", "diskimage"))
_OF_ITSELF = (PartKind.SHELL, PartKind.PLAYBOOK, PartKind.OTHER_LANGUAGE, PartKind.OTHER)
# Of Terraform: the function, and the data source that came before it, up to the name of the file.
_RENDERS = pattern(rb"templatefile\(\s*\"[^\"]*$|\"template_file\"[^}]*file\(\s*\"[^\"]*$")
# Put behind other text: `"${data.template_file.head.rendered} ${file("…/worker.sh")}"`. A heredoc may begin with it.
_BEHIND_TEXT = pattern(rb"(?P<before>[^\"\s]+)\s*\$\{~?\s*(?:templatefile|file)\(\s*\"[^\"]*$")
_HEREDOC = b"<<"
_BEFORE = 300
_NO_FIRST_LINE = pattern(rb"\A(?!\xef\xbb\xbf)(?!#!)[^<{]")
# Run, and not only named: where a command begins, and behind what runs another one.
_EKS = pattern(
    r"(?m)(?:^|[;&|({]|\b(?:sudo|exec|bash|sh|if|then|do|else|timeout)\b)[ \t]*(?:-\S+[ \t]+)*"
    r"(?:\w+=\S*[ \t]+)*(?:/etc/eks/bootstrap\.sh\b|(?:/\S*/)?nodeadm[ \t]+init\b)",
    words=("/etc/eks/bootstrap.sh", "nodeadm"),
)
# Whatever fills in templates for machines: of nobody else's is it said that they are user data.
_FILLS = pattern(rb"templatefile|template_file|user_?data|custom_?data|startup[-_]script|UserData", re.IGNORECASE)
_FILLING = (".tf", ".tofu", ".hcl", ".json", ".py", ".ts", ".go")
# Root acts for the user that a cloud's image has: a person is logged in as that one.
_USERS = r"(?:ubuntu|ec2-user|debian|centos|rocky|fedora|azureuser)"
_FOR_THE_USER = pattern(rf"(?m)^[^#\n]*(?<![\w-])su[ \t]+(?:-l?[ \t]+)?{_USERS}[ \t]+-c\b", words=("su ", "su\t"))
_AS_THE_USER = pattern(
    rf"(?m)^[^#\n]*(?<![\w-])sudo[ \t]+(?:-[EHin]+[ \t]+)*(?:-u[ \t]*|--user[ =]){_USERS}\b", words=("sudo ", "sudo\t")
)
_SHELLS = (".sh", ".bash")
# At the margin, where no function's own arguments are meant.
_TAKES_ARGUMENTS = pattern(r"(?m)^(?:(?:export|readonly|declare)[ \t]+)?[A-Za-z_]\w*=[\"']?\$(?:[1-9@*]|\{[1-9@*])")
# Who is root already has no need of it.
_AS_ROOT = pattern(r"(?m)^[^#\n]*(?<![\w-])sudo[ \t]+(?:-[EHinS]+[ \t]+)*[^-\s]")


@dataclass(frozen=True)
class Use:
    """The occasion on which a script runs, and the files that say so."""

    kind: ScriptKind
    said_by: tuple[Reference, ...] = ()
    # Why a file that nobody looked at may say otherwise.
    unsure: str = ""

    @property
    def is_user_data(self) -> bool:
        return self.kind is ScriptKind.USER_DATA

    @property
    def builds_an_image(self) -> bool:
        return self.kind is ScriptKind.IMAGE_BUILD

    def is_rendered(self, around: Surroundings | None) -> bool:
        """Whether Terraform fills it in where it is named: `templatefile("boot.sh", …)`."""
        return any(_is_rendered(each, around) for each in self.said_by)

    def is_behind_others(self, around: Surroundings | None) -> bool:
        """Whether it is put behind other text wherever it is named: what it begins with is no beginning."""
        return bool(self.said_by) and all(_is_behind_text(each, around) for each in self.said_by)

    def related(self) -> Iterator[Related]:
        for each in self.said_by[:1]:
            yield Related(each.place, f"it is {self.kind.value} here")


def _is_rendered(reference: Reference, around: Surroundings | None) -> bool:
    return _RENDERS.search(_before(reference, around)) is not None


def _is_behind_text(reference: Reference, around: Surroundings | None) -> bool:
    found = _BEHIND_TEXT.search(_before(reference, around))
    return found is not None and not found["before"].startswith(_HEREDOC)


def _before(reference: Reference, around: Surroundings | None) -> bytes:
    """What stands before it in a file of Terraform's; nothing in any other."""
    data = around.read(reference.path) if around is not None and reference.path.suffix == ".tf" else None
    return b"" if data is None else data[max(0, reference.offset - _BEFORE) : reference.offset]


def use_of(userdata: UserData, around: Surroundings | None) -> Use:
    """Who runs a script, and when: its form tells it, else what refers to it, else its name, folder and content."""
    if is_user_data_by_form(userdata):
        return Use(ScriptKind.USER_DATA)
    path = Path(userdata.place.file)
    references = around.references_to(path) if around is not None else []
    told = _by_references(references, around)
    if told is not None:
        return told
    kind = _by_itself(userdata, path, around.folders_of(path) if around is not None else ())
    if kind is ScriptKind.USER_DATA and around is not None and _is_one_of_several(userdata, path, around):
        kind = ScriptKind.BY_HAND
    if kind is ScriptKind.USER_DATA and references and _is_by_hand_after_all(userdata, path, around):
        kind = ScriptKind.BY_HAND
    return Use(kind, unsure=around.incomplete if around is not None and kind is ScriptKind.BY_HAND else "")


def is_user_data_by_form(userdata: UserData) -> bool:
    """More than a script by itself: parts, cloud-config, a boothook, a NodeConfig, or packed."""
    if userdata.unread or userdata.wrapped or not userdata.parts:
        return True
    first = userdata.parts[0]
    return bool(first.called) or first.kind not in _OF_ITSELF


def is_a_piece(userdata: UserData) -> bool:
    """Whether it is a template of commands without a first line of its own: it is put into another one."""
    return (
        userdata.is_template
        and not is_user_data_by_form(userdata)
        and userdata.parts[0].kind is PartKind.SHELL
        and not userdata.text.lstrip().startswith("#!")
    )


# What is remembered of a scope.
_ROLES = "roles of references"


def _by_references(references: Sequence[Reference], around: Surroundings | None) -> Use | None:
    # A name that many scripts have may mean each of them wherever it stands.
    known: dict[Reference, Sequence[Role]] = around.remembered.setdefault(_ROLES, {}) if around is not None else {}
    by_role: dict[Role, list[Reference]] = {}
    for reference in references[:_MOST]:
        if reference not in known:
            known[reference] = list(roles_of(reference, around))
        for role in known[reference]:
            by_role.setdefault(role, []).append(reference)
    told = next((each for each in _ORDER if each in by_role), None)
    return Use(_OF_ROLE[told], tuple(by_role[told])) if told is not None else None


def _by_itself(userdata: UserData, path: PurePath, folders: Sequence[str]) -> ScriptKind:
    text = userdata.text
    stem = path.name.removesuffix(path.suffix) or path.name
    if _CALLED_USER_DATA.search(stem) or path.suffix in (".userdata", ".boothook"):
        return ScriptKind.USER_DATA
    if _OF_PACKER.search(text) or path.name.endswith(_PACKERS) or not _IMAGE_FOLDERS.isdisjoint(folders):
        return ScriptKind.IMAGE_BUILD
    if _CALLED_STARTUP.search(stem) and _OF_GOOGLE.search(text):
        return ScriptKind.STARTUP
    # Nothing but Terraform fills in such a template, and of its scripts nearly all are user data.
    if path.suffix == ".tftpl" or _EKS.search(text) or _is_roots_own(text):
        return ScriptKind.USER_DATA
    # A template by what stands in it alone, which takes arguments, somebody calls.
    is_called = path.suffix in _SHELLS and _TAKES_ARGUMENTS.search(text) is not None
    if userdata.is_template and not is_called and not is_a_piece(userdata):
        return ScriptKind.USER_DATA
    return ScriptKind.BY_HAND


def _is_one_of_several(userdata: UserData, path: Path, around: Surroundings) -> bool:
    """Whether only its name says that it is user data, it has no first line, and others of the same kind lie beside it.
    Then a program that is not here puts them together, and begins the result with such a line."""
    if userdata.parts[0].text.lstrip().startswith("#!") or around.references_to(path):
        return False
    own = Path(os.path.abspath(path))
    beside = (each.path for each in around.holding(_NO_FIRST_LINE, (path.suffix,)) if each.path.parent == own.parent)
    return any(each.name != own.name and _CALLED_USER_DATA.search(each.stem) for each in beside)


def _is_by_hand_after_all(userdata: UserData, path: PurePath, around: Surroundings | None) -> bool:
    """A template that files name in which none is filled in for a machine, and that says of none itself."""
    if around is None or path.suffix == ".tftpl" or not userdata.is_template or around.incomplete:
        return False
    text = userdata.text
    if _CALLED_USER_DATA.search(path.name) or _EKS.search(text) or _is_roots_own(text):
        return False
    return not any(around.holding(_FILLS, _FILLING))


def _is_roots_own(text: str) -> bool:
    """Whether root runs it, and acts for the user of a cloud's image now and then. Nobody gives user data arguments."""
    if _TAKES_ARGUMENTS.search(text):
        return False
    if _FOR_THE_USER.search(text):
        return True
    return _AS_THE_USER.search(text) is not None and _AS_ROOT.search(text) is None
