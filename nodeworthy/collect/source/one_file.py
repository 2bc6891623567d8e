"""What stands in one file. Each kind of file has a reader, and the first reader that knows the file decides.

A reader looks for the marks of its kind before it imports what reads them: most files have none, and cost a glance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.file_marks import (
    config_title,
    may_run_beside_a_node,
    may_slip,
    node_file,
    slurm_configuration,
    slurm_jobs,
    ufw_file,
)
from nodeworthy.collect.source.files import Source, Unreadable, any_text
from nodeworthy.collect.source.parsing import (
    OF_GPU_METRICS,
    FileContents,
    InputRefused,
    NoBootScript,
    content,
    is_arm_template,
    may_be_plan,
    may_be_preview,
    may_be_template,
)
from nodeworthy.facts.secrets.plain_text import IN_A_JOB, PlainText
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.facts.boot.script import BootScript

# What Bicep, Terraform, Packer and Terragrunt read by their names.
OF_A_TOOL = (
    *(".bicep", ".tf", ".tofu", ".tfvars", ".tf.json", ".tofu.json", ".tfvars.json"),
    *(".pkr.hcl", "terragrunt.hcl"),
)
_OF_TOOLS = (may_be_plan, may_be_preview, is_arm_template)
_OF_ANSIBLE = (".yml", ".yaml")
# What a task says that Ansible may read in another way, at the least: a list, and one of these in it.
_OF_A_TASK = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:[\w.]+\.)?(?:mode|shell|include|sudo|kubernetes|docker|service|systemd|"
    rb"changed_when|failed_when|unarchive|apt|yum|dnf|command|notify)[ \t]*:\s|slurm(?:dbd)?\.conf\b|munge\.key\b",
    words=(
        *(b"mode", b"shell", b"include", b"sudo", b"kubernetes", b"docker", b"service", b"systemd"),
        *(b"changed_when", b"failed_when", b"unarchive", b"slurm.conf", b"slurmdbd.conf", b"munge.key"),
        *(b"apt", b"yum", b"dnf", b"command", b"notify"),
    ),
)
_OF_OBJECTS = pattern(rb"(?m)^(?:- )?apiVersion[ \t]*:", words=(b"apiVersion",))
_VAGRANTFILE = "Vagrantfile"
_OF_PACKER = (b'"provisioners"', b'"inline"')
_PROGRAMS = (".py", ".ts", ".js", ".mjs")
_USER_DATA = pattern(
    rb"(?i)user_?data|startup[_-]?script|custom_?data|pulumi[/_]command",
    words=(
        *(b"userdata", b"user_data", b"startup", b"customdata", b"custom_data", b"pulumi/command", b"pulumi_command"),
    ),
    in_a_line=True,
)
_OF_PULUMI = pattern(
    rb"@pulumi/|\bpulumi_|@?aws-cdk|\baws_cdk", words=(b"@pulumi/", b"pulumi_", b"aws-cdk", b"aws_cdk")
)
_OF_AN_INSTALLER = pattern(r"(?i)\.ks$|^ks[\w.-]*\.cfg(?:$|\.)|kickstart|preseed")
_ANSWERS = pattern(rb"(?m)^(?:%(?:packages|post)\b|d-i[ \t])", words=(b"%packages", b"%post", b"d-i"))
_DOCKERFILE = pattern(r"(?i)(?:^|[._-])(?:dockerfile|containerfile)(?:$|[._-])")
_BEGINS_WITH = pattern(rb"(?mi)^[ \t]*FROM[ \t]+\S")
_OF_NVIDIA = pattern(rb"nvidia/cuda|NVIDIA_DRIVER_CAPABILITIES", words=(b"nvidia/cuda", b"NVIDIA_DRIVER_CAPABILITIES"))
# What may make an image a node, or a machine by a target of make.
_BRINGS_KUBELET = pattern(rb"\bkube(?:let|adm)\b", words=(b"kubelet", b"kubeadm"))
_MAKEFILE = pattern(r"(?:GNUm|M|m)akefile(?:\..*)?|.*\.mk")
_MAKES_A_NODE = pattern(
    rb"kubeadm|kubelet|swapoff|get\.k3s\.io|get\.rke2\.io|nvidia-driver|cuda-drivers|NVIDIA-Linux|\bufw[ \t]|firewalld",
    words=(
        *(b"kubeadm", b"kubelet", b"swapoff", b"get.k3s.io", b"get.rke2.io", b"nvidia-driver", b"cuda-drivers"),
        *(b"NVIDIA-Linux", b"ufw", b"firewalld"),
    ),
    in_a_line=True,
)
# By these whoever writes a template for Terraform names it.
_TEMPLATES = (".tftpl", ".tpl", ".tmpl", ".sh", ".yaml", ".yml")
# What of Terraform reads a file of the disk, to fill it in or as it stands.
_FILLS = pattern(rb"\b(?:templatefile|file|filebase64)[ \t]*\(")
# Where apt and dnf are told of archives, also as a template of Ansible's.
_LISTS_OF_ARCHIVES = pattern(r"\.(?:list|repo|sources)(?:\.j2)?$")
# What files have that units of Terragrunt include and read.
_OF_UNITS = pattern(rb"(?m)^(?:locals[ \t]*\{|inputs[ \t]*=)", words=(b"locals", b"inputs"))
_OF_KUBERNETES = pattern(rb"kubernetes", words=(b"kubernetes",))
# A program of Pulumi's in YAML stands in one of these.
_PULUMI_PROGRAMS = ("Pulumi.yaml", "Pulumi.yml", "Main.yaml", "Main.yml")

Rules = frozenset[str]
Reader = Callable[[Source, bytes, Rules], FileContents | None]


# How files begin that nothing here reads. Most are no text, and may be large: archives (PyTorch's models are some),
# pictures, programs, arrays, pickles, fonts, films, databases.
_OF_NO_KIND = (
    *(b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"\x7fELF", b"\x93NUMPY", b"\x89HDF", b"\x80\x02"),
    *(b"\x80\x03", b"\x80\x04", b"\x80\x05", b"RIFF", b"OggS", b"wOFF", b"wOF2", b"\x00\x01\x00\x00", b"SQLite format"),
    *(b"\xca\xfe\xba\xbe", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"\x1aE\xdf\xa3", b"ID3"),
    # What tests have once seen, one behind another.
    *(b"// Jest Snapshot", b"// Vitest Snapshot"),
)


def whats_in(source: Source, rules: Rules) -> FileContents | None:
    """What stands in a file; None where it is nothing that we know."""
    data = content(source)
    if data is None or data.startswith(_OF_NO_KIND):
        return None
    try:
        if source.path.name.endswith(OF_A_TOOL) or any(may_be(data) for may_be in _OF_TOOLS):
            from nodeworthy.collect.source.infrastructure import read_by_its_tool

            return read_by_its_tool(source, data, rules)
        return _with_slips(source, data, rules)
    except Unreadable as problem:
        # Of a kind that is known, and no text.
        raise InputRefused(Place(source.shown), f"it {problem.why}") from None


def _with_slips(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    """What its reader found, and what may be wrong in it whatever it is."""
    facts = _slips(source, data) if may_slip(source.path.name, data) else ()
    try:
        found = _first_that_knows(_READERS, source, data, rules)
    except NoBootScript:
        facts = [*facts, *_broken(source, data)]
        if not facts:
            raise
        found = None
    else:
        facts = [*facts, *_broken(source, data)] if found is None else facts
    if source.path.suffix in _OF_ANSIBLE:
        found = _with_tasks(found, source, data, rules)
    if not facts:
        return found
    from nodeworthy.collect.source.slips import with_slips

    return with_slips(found, facts, source, data, rules)


def _slips(source: Source, data: bytes) -> Sequence[Fact]:
    from nodeworthy.collect.source.slips import slips_in

    return slips_in(source, data)


def _broken(source: Source, data: bytes) -> Sequence[Fact]:
    """Of a script beside a node that nobody here knows."""
    if not may_run_beside_a_node(data):
        return ()
    from nodeworthy.collect.source.slips import broken_shells

    return broken_shells(source, data)


def _with_tasks(found: FileContents | None, source: Source, data: bytes, rules: Rules) -> FileContents | None:
    """The same with the tasks of Ansible's that stand in it, where something of them may be read otherwise than it was
    meant."""
    if _OF_A_TASK.search(data) is None or _OF_OBJECTS.search(data) is not None:
        return found
    from nodeworthy.collect.source.ansible_tasks import with_tasks

    return with_tasks(found, source, data, rules)


def _first_that_knows(readers: Sequence[Reader], source: Source, data: bytes, rules: Rules) -> FileContents | None:
    for read in readers:
        found = read(source, data, rules)
        if found is not None:
            return found
    return None


def _vagrantfile(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if not source.path.name.startswith(_VAGRANTFILE):
        return None
    from nodeworthy.collect.source.scripts_and_variables import secrets_beside
    from nodeworthy.collect.source.vagrantfiles import contents

    found = contents(source, data, rules)
    return found and replace(found, facts=[*found.facts, *secrets_beside(source, data, rules)])


def _packer_in_json(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if source.path.suffix != ".json" or not all(mark in data for mark in _OF_PACKER):
        return None
    from nodeworthy.collect.source.infrastructure import packer_in_json

    return packer_in_json(source, data, rules)


def _program(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    """What a program gives to machines as user data, and what one of Pulumi's or of AWS' CDK asks for."""
    if source.path.suffix not in _PROGRAMS:
        return None
    found, made = _user_data_of_program(source, data, rules), _made_by_program(source, data, rules)
    if found is None or made is None:
        return found or made
    return replace(found, facts=[*found.facts, *made.facts])


def _user_data_of_program(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if not _USER_DATA.search(data):
        return None
    from nodeworthy.collect.source.user_data_in_programs import contents, may_give_user_data

    return contents(source, data, rules) if may_give_user_data(data) else None


def _made_by_program(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if not _OF_PULUMI.search(data):
        return None
    from nodeworthy.collect.source.pulumi_program import contents, may_be_program

    return contents(source, data, rules) if may_be_program(data) else None


def _installer_answers(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if not (_OF_AN_INSTALLER.search(source.path.name) and _ANSWERS.search(data)):
        return None
    from nodeworthy.collect.source.installer_answers import contents

    return contents(source, data, rules)


def _configuration(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if not (source.path.suffix == ".hcl" and _OF_UNITS.search(data)):
        return None
    from nodeworthy.collect.source.infrastructure import configuration_of_units

    return configuration_of_units(source, data, rules)


def _list_of_archives(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if not (_LISTS_OF_ARCHIVES.search(source.path.name) and _OF_KUBERNETES.search(data)):
        return None
    from nodeworthy.facts.boot.named_archives import archives_in_list

    text, place = any_text(data), Place(source.shown)
    found: list[Fact] = [*archives_in_list(text, place)]
    return FileContents(found, suppressions=list(comments(text, place, rules, is_yaml=False))) if found else None


def _dockerfile(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    """The image that it begins with, what it says to NVIDIA's runtime, the kubelet that it brings, and the secrets in
    it."""
    if not (_DOCKERFILE.search(source.path.name) and _BEGINS_WITH.search(data)):
        return None
    is_nvidias, script = _OF_NVIDIA.search(data) is not None, _steps_of_an_image(source, data)
    if not is_nvidias and script is None:
        return None
    from nodeworthy.collect.source.scripts_and_variables import secrets_beside
    from nodeworthy.facts.pod.named_images import in_dockerfile

    text = any_text(data)
    facts: list[Fact] = [*(in_dockerfile(text, source.shown) if is_nvidias else ())]
    facts += secrets_beside(source, data, rules)
    told = list(comments(text, Place(source.shown), rules, is_yaml=False))
    scripts = [script] if script is not None else []
    return FileContents(facts, scripts=scripts, suppressions=told) if facts or scripts else None


def _steps_of_an_image(source: Source, data: bytes) -> BootScript | None:
    if not _BRINGS_KUBELET.search(data):
        return None
    from nodeworthy.collect.source.dockerfiles import script_of_steps

    return script_of_steps(source, data)


def _makefile(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    """What its targets make of the machine and of others, with all else that is read of it."""
    if not (_MAKEFILE.fullmatch(source.path.name) and _MAKES_A_NODE.search(data)):
        return None
    from nodeworthy.collect.source.makefiles import scripts_of_targets
    from nodeworthy.collect.source.script_files import for_other_machines

    every, found = scripts_of_targets(source, data), _first_that_knows(_BY_CONTENT, source, data, rules)
    facts = [fact for each in every for fact in for_other_machines(each, data)]
    scripts = [each for each in every if each.makes_a_node]
    if not scripts and not facts:
        return found
    if found is None:
        told = comments(any_text(data), Place(source.shown), rules, is_yaml=False)
        return FileContents(facts, scripts=scripts, suppressions=list(told))
    return replace(found, facts=[*found.facts, *facts], scripts=scripts)


def _template_of_terraform(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    """A template that a root of Terraform fills in, with the secrets that are in it as it is kept."""
    filling = _folders_that_fill(source) if source.named and source.path.suffix in _TEMPLATES else ()
    if not filling:
        return None
    from nodeworthy.collect.source.infrastructure import filled_in_template

    found = filled_in_template(source, filling, data, rules)
    if found is not None:
        found.facts += _secrets_as_kept(source, data, rules)
    return found


def _folders_that_fill(source: Source) -> Iterable[Path]:
    """Where something of Terraform names a file that it fills in."""
    name = source.path.name.encode()
    reading = (each for each in source.scope.holding(_FILLS, (".tf", ".tofu")) if name in each.data)
    return dict.fromkeys(each.path.parent for each in reading)


def _secrets_as_kept(source: Source, data: bytes, rules: Rules) -> list[Fact]:
    """The secrets of a template before it is filled in. It may be nothing then that can be read."""
    try:
        found = _first_that_knows(_BY_CONTENT, source, data, rules)
    except InputRefused:
        return []
    return [each for each in found.facts if isinstance(each, PlainText)] if found is not None else []


def _cloudformation_template(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if not may_be_template(source, data):
        return None
    from nodeworthy.collect.source.infrastructure import cloudformation_template

    return cloudformation_template(source, data, rules)


def _pulumi_program(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    if source.path.name not in _PULUMI_PROGRAMS:
        return None
    from nodeworthy.collect.source.infrastructure import pulumi_program

    return pulumi_program(source, data, rules)


def _node_file(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    file = node_file(data, source.shown, source.lies)
    if file is None:
        return None
    from nodeworthy.collect.source.node_file_reading import ON_A_NODE, refuse_unparsed

    refuse_unparsed(file)
    whole = PlainText(Place(source.shown), any_text(data), file.kind.value, ON_A_NODE)
    told = comments(whole.text, whole.place, rules, is_yaml=False)
    return FileContents([whole], node_files=[file], suppressions=list(told))


def _slurm_jobs(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    jobs = slurm_jobs(source, data)
    if not jobs or _is_boot_script(source, data):
        return None
    whole = PlainText(Place(source.shown), any_text(data), "a job script", IN_A_JOB)
    return FileContents([*jobs, whole], suppressions=list(comments(whole.text, jobs[0].place, rules, is_yaml=False)))


def _is_boot_script(source: Source, data: bytes) -> bool:
    from nodeworthy.collect.source.boot_scripts import is_boot_script

    return is_boot_script(data, source.path.name)


def _script(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    from nodeworthy.collect.source.boot_scripts import may_be_commands

    if not may_be_commands(data, source.path.name):
        return None
    from nodeworthy.collect.source.script_contents import contents

    return contents(source, data, rules)


def _table_of_metrics(source: Source, data: bytes, _: Rules) -> FileContents | None:
    if source.path.suffix != ".csv" or OF_GPU_METRICS.encode() not in data:
        return None
    from nodeworthy.facts.services.gpu_queries import collected_metrics

    return FileContents(list(collected_metrics(any_text(data), Place(source.shown))))


def _slurm_configuration(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    called = slurm_configuration(source, data)
    if called is None:
        return None
    from nodeworthy.collect.source.slurm_reading import configuration

    text, place = any_text(data), Place(source.shown)
    told = comments(text, place, rules, is_yaml=False)
    return FileContents(list(configuration(called, text, place)), suppressions=list(told))


def _ufw_file(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    file = ufw_file(data, source.shown, source.lies)
    if file is None:
        return None
    return FileContents(ufw=[file], suppressions=list(comments(any_text(data), file.place, rules, is_yaml=False)))


def _k3s_config(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    called = config_title(data, source.shown)
    if called is None:
        return None
    from nodeworthy.collect.source.files_beside import FilesBeside
    from nodeworthy.collect.source.k3s_config import facts_in

    text, place, beside = any_text(data), Place(source.shown), FilesBeside(source)
    facts = list(facts_in(data, called, text, place, beside))
    told = list(comments(text, place, rules, is_yaml=True))
    return FileContents(facts, suppressions=told, beside=beside)


def _documents(source: Source, data: bytes, rules: Rules) -> FileContents | None:
    from nodeworthy.collect.source.document_contents import contents

    return contents(source, data, rules)


# What is left is read by its content; each reader passes on what is not of its kind.
_BY_CONTENT: Sequence[Reader] = (
    _node_file,
    _slurm_jobs,
    _script,
    _table_of_metrics,
    _slurm_configuration,
    _ufw_file,
    _k3s_config,
    _documents,
)
_READERS: Sequence[Reader] = (
    _vagrantfile,
    _packer_in_json,
    _program,
    _installer_answers,
    _configuration,
    _list_of_archives,
    _dockerfile,
    _makefile,
    _template_of_terraform,
    _cloudformation_template,
    _pulumi_program,
    *_BY_CONTENT,
)
