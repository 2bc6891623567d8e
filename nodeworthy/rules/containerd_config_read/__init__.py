"""containerd reads what is written for it: the schema fits its release, and what is dropped in is imported.

containerd passes over what it does not know: a section under the name of another release is ignored with a
warning, and containerd starts as if nothing had been written. Which names count depends on the file's `version` and on
containerd's release. A drop-in is read only where the root file imports it. `mirrors` or TLS settings beside
`config_path` keep the CRI plugin from loading at all, and so does a file that does not parse, or one that names the
plugin among its `disabled_plugins`, as that of Docker's package does: then there is no runtime, and the node never
becomes ready. A key of one section is lost in another (`sandbox_image` is `pinned_images.sandbox` of the images in
containerd 2, the registry's settings are theirs too), and so is an option of a runtime (`BinaryName`, `SystemdCgroup`)
outside of its `options`. A `runtime_type` is the name of a program (`io.containerd.runc.v2` is
containerd-shim-runc-v2): of one that nobody ships, or that this release no longer has, no pod starts. Where runc's
options have `SystemdCgroup = true` and those of NVIDIA's runtime beside it have not, its containers are made outside
of their pods' cgroups: a warning. So is containerd's own default, which a script writes and leaves as it is, beside a
kubelet of kubeadm's from 1.22 to 1.30, which leaves its cgroups to systemd and does not ask its runtime. That default
has the key: who adds it once more (`sed '/runc.options/a SystemdCgroup = true'`) has a file that is no TOML. NVIDIA's
runtime that is given to `io.containerd.runtime.v1.linux` runs nothing where every runtime of the CRI is of another
type. A table `default_runtime`, as files without a version have it, wins over `default_runtime_name`: what NVIDIA's
toolkit writes beside it is of no effect.

It reads them when it starts. Debian's and Docker's packages start it as soon as they are installed, and `systemctl
enable --now` (or `start`) leaves alone what runs: a file that a script writes between the two is not read before
somebody restarts containerd.

Docker's packages (`containerd.io`, and `docker-ce`, which brings it) come with a file that disables the CRI. A script
that installs them, leaves that file alone and calls kubeadm makes no node: kubeadm's preflight finds no runtime.

A boot script's files and files that stand alone in a change are judged alike. What a script copies from beside it is
judged where it lies, and nothing is said of it where it is not there; of a template each branch is, and what only one
of them has is unknown. k3s' `config.toml.tmpl` was written for containerd 1.x: where no fleet says that 2.x reads it,
what only 2.x ignores is no question, and what 1.x ignores is a fault. Which release reads the others says the fleet;
without it, what some release ignores is unknown, and what each takes or none takes is decided. Of a drop-in without
its root file nobody can say that it is imported. On a node it is containerd itself that says what it passed over
(`containerd config dump`), whether its CRI plugin has loaded (`ctr plugins ls`), and why one that does not start
can't read its files; beside it, its files and what lies where drop-ins do are judged as in a change, and a runtime is
as good as the program that its BinaryName names.

k3s fills in its own template where nobody has written one. One that stands there without `{{ template "base" . }}`
is all that containerd reads: the folders of k3s' CNI are not in it, and no pod starts, unless another network than
its flannel is installed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from nodeworthy.facts.boot.flaw import agreed_drafts, if_it_is_there
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.runtime import runtime_of, version_of
from nodeworthy.facts.boot.script import PART, BootPool, BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind
from nodeworthy.facts.containerd.config import ConfigFile, Role, config_files
from nodeworthy.facts.containerd.drop_ins import drop_in_flaws
from nodeworthy.facts.containerd.registry_settings import added_beside_config_path, two_ways_to_a_registry
from nodeworthy.facts.containerd.runtime_types import runtime_type_flaws
from nodeworthy.facts.containerd.schema import schema_flaws, tls_flaws
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.containerd import containerd_drafts
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.known.containerd import Containerd, containerd_of
from nodeworthy.known.containerd_schema import NEW
from nodeworthy.rule import Rule
from nodeworthy.rules.containerd_config_read.cgroup_driver import added_to_the_default, apart_from_kubelet, cgroup_flaws
from nodeworthy.rules.containerd_config_read.lost_keys import lost_key_flaws
from nodeworthy.rules.containerd_config_read.never_reread import never_reread, starts_behind_a_write
from nodeworthy.rules.containerd_config_read.script_files import (
    added_lines,
    is_copied_from_a_file,
    is_copied_from_beside,
)
from nodeworthy.rules.containerd_config_read.two_defaults import flaws_of_two_defaults
from nodeworthy.rules.containerd_config_read.without_cri import disabled_flaws, left_without_cri
from nodeworthy.rules.containerd_config_read.without_its_base import (
    draft_of_template_alone,
    lone_without_base,
    whose_template,
    without_their_base,
)
from nodeworthy.verdict import Draft, Findings, Severity, fail, skip, unknown

RULE = Rule(
    "containerd-config-read",
    severity=Severity.ERROR,
    incident="A",
    title="containerd reads what is written for it",
    remedy="write the schema of this containerd, import the drop-in, and look at `containerd config dump`",
)

FOR_CONTAINERD_1 = (
    "a config.toml.tmpl is for k3s' and RKE2's containerd 1.x (with 2.x they read config-v3.toml.tmpl first), and "
    "which one reads it, nobody says"
)
READ_BY_2 = "its sections have names of containerd 2, which reads them below the template's version 2, too"
# The last of those: what it ignores, the older ones ignore, too.
THEIRS = "1.7"
NEVER_STARTS = "containerd does not start with a file that it can't read: there is no runtime, and no node"

# Of an image nothing runs yet that will run.
_STARTS_LATER = (ScriptKind.IMAGE_BUILD, ScriptKind.CONTAINER)


@RULE.check
def it_reads_what_the_boot_writes(script: BootScript, pool: BootPool | None) -> Findings:
    runtime = runtime_of(script, pool) or whose_template(script.timeline)
    if runtime is not None and not runtime.is_containerd:
        skip(f"kubelet talks to {runtime.runtime}")
    files = config_files(script.timeline, runtime)
    version = version_of(script, pool)
    added = list(added_lines(script.timeline, runtime))
    if not files and not added:
        skip("the script writes no configuration of containerd")
    read = [each for each in files if not is_copied_from_beside(each, script.surroundings)]
    if not read and not added:
        skip("the configuration that it copies is a file beside it, which is judged as such")
    if not added and all(map(is_copied_from_a_file, read)):
        skip("the configuration that it copies is in a file that is not here")
    read = [each for each in read if not is_copied_from_a_file(each)]
    alone = without_their_base(read, script, pool)
    of_templates = [draft_of_template_alone(each, script) for each in alone]
    # With its base it has another version: what is ignored follows from this.
    read = [each for each in read if each not in alone]
    of_lines = (flaw for each in added for flaw in _added(each, script, runtime, version))
    for flaw in (*of_templates, *_flaws(read, runtime, version), *of_lines):
        yield flaw.with_more(on=pool.title if pool is not None and version is not None else "")


@RULE.check
def it_reads_what_is_written_over_there(script: RemoteScript) -> Findings:
    return it_reads_what_the_boot_writes(script, None)


@RULE.check
def its_cgroups_are_kubelets(script: BootScript) -> Findings:
    apart = None if script.use.kind is ScriptKind.CONTAINER else apart_from_kubelet(script)
    if apart is None:
        skip("it writes no default of containerd's beside a kubelet that is known to leave its cgroups to systemd")
    yield apart


@RULE.check
def its_default_is_toml_still(script: BootScript) -> Findings:
    twice = None if script.use.kind is ScriptKind.CONTAINER else added_to_the_default(script)
    if twice is None:
        skip("it adds no key to containerd's own default that stands there already")
    yield twice


@RULE.check
def it_is_started_anew_for_it(script: BootScript, pool: BootPool | None) -> Findings:
    if script.is_a_part:
        skip(PART)
    runtime = runtime_of(script, pool) or containerd_of("kubeadm")
    if not runtime.is_containerd or script.use.kind in _STARTS_LATER:
        skip("what is written here is read when the machine starts")
    starts = starts_behind_a_write(script.timeline, runtime)
    if not starts:
        skip("it starts no containerd behind what it writes for it")
    told_of_registries = pool is not None and bool(pool.fleet.registries)
    for flaw in never_reread(script.timeline, runtime, starts, told_of_registries=told_of_registries):
        yield flaw.with_more(on=pool.title if pool is not None else "")


@RULE.check
def it_reads_these_files(files: NodeFiles, pool: BootPool | None) -> Findings:
    files = files.only(NodeFileKind.CONFIG)
    # Whether a drop-in is imported says its root file, which need not be kept beside it.
    whole = files.has_config or pool is not None
    configs = _configs(files, pool)
    alone = list(lone_without_base(files, configs, pool))
    # With its base it has another version: what is ignored follows from this.
    flaws = _of_these(files, pool, None, whole=whole) if all(each.is_unknown for each in alone) else []
    if flaws and pool is None and all(each.is_unknown for each in flaws) and all(map(is_for_containerd_1, configs)):
        if any(map(names_sections_of_2, configs)):
            skip(READ_BY_2)
        flaws = _of_these(files, pool, THEIRS, whole=whole)
        if not alone and all(each.is_unknown for each in flaws):
            skip(FOR_CONTAINERD_1)
    flaws = flaws if any(not each.is_unknown for each in flaws) else alone or flaws
    for flaw in flaws:
        yield flaw.with_more(on=pool.title if pool is not None and files.version(pool) is not None else "")
    if not flaws and configs and all(map(_is_unread_template, configs)):
        skip("what the distribution makes of its template is not known")
    if not flaws and not whole:
        skip("the file that would import it is not here, and no fleet says which containerd reads it")


def _of_these(files: NodeFiles, pool: BootPool | None, assumed: str | None, *, whole: bool) -> list[Draft]:
    """What is said of each branch of their templates. A branch that is no TOML is none that anybody fills in so: what
    the others agree in, the file has."""
    every = files.as_filled_in
    read = [each for each in every if not any(map(_is_unread_template, _configs(each, pool)))]
    return list(agreed_drafts([list(_of_files(each, pool, assumed, whole=whole)) for each in read or every]))


def _configs(files: NodeFiles, pool: BootPool | None) -> Sequence[ConfigFile]:
    runtime = files.runtime(pool)
    return config_files(files.timeline_on(runtime), runtime)


def _of_files(files: NodeFiles, pool: BootPool | None, assumed: str | None, *, whole: bool) -> Iterator[Draft]:
    runtime, version, configs = files.runtime(pool), files.version(pool) or assumed, _configs(files, pool)
    yield from _flaws(configs, runtime, version) if whole else _contents(configs, runtime, version)


def _flaws(files: Sequence[ConfigFile], runtime: Containerd | None, version: str | None) -> Iterator[Draft]:
    yield from _contents(files, runtime, version)
    yield from drop_in_flaws(files, runtime, version)


def _added(lines: ConfigFile, script: BootScript, runtime: Containerd | None, version: str | None) -> Iterator[Draft]:
    ignored = list(schema_flaws(lines, version)) if lines.role is Role.BEHIND_DEFAULT else []
    ignored = ignored or list(lost_key_flaws(lines, version))
    yield from ignored or added_beside_config_path(lines, script.timeline, runtime, version)


def _contents(files: Sequence[ConfigFile], runtime: Containerd | None, version: str | None) -> Iterator[Draft]:
    for file in files:
        if file.is_default or _is_unread_template(file):
            continue
        if file.reading.unknown:
            yield unknown(file.place, file.reading.unknown)
        elif file.reading.fault:
            says = f"containerd's config is not TOML: {file.reading.fault}"
            yield fail(file.place, says, should="a file that parses", cause=NEVER_STARTS, remedy="mend this line")
        else:
            flaws = list(schema_flaws(file, version)) or list(lost_key_flaws(file, version))
            flaws += [*tls_flaws(file, version), *disabled_flaws(file, version)]
            flaws += runtime_type_flaws(file, version)
            flaws += cgroup_flaws(file, files)
            flaws += flaws_of_two_defaults(file, version)
            flaws += [] if flaws else two_ways_to_a_registry(file, files, runtime)
            yield from (if_it_is_there(each) if file.is_conditional else each for each in flaws)


def is_for_containerd_1(file: ConfigFile) -> bool:
    """k3s and RKE2 with containerd 2 look for config-v3.toml.tmpl first."""
    return file.is_template and posixpath.basename(file.path) == "config.toml.tmpl"


def names_sections_of_2(file: ConfigFile) -> bool:
    """Where k3s and RKE2 with containerd 2 find no config-v3.toml.tmpl they read this one, and containerd brings what
    is of version 2 into its own, beside sections that have their new names already."""
    return any(name in NEW for name in file.sections)


def _is_unread_template(file: ConfigFile) -> bool:
    return file.is_template and bool(file.reading.fault or file.reading.unknown)


@RULE.check
def its_package_leaves_the_cri(script: BootScript) -> Findings:
    if script.is_a_part:
        skip(PART)
    found = None if script.use.kind in _STARTS_LATER else left_without_cri(script)
    if found is None:
        skip("no package of Docker's leaves a node of kubeadm's without the CRI here")
    yield found


@RULE.check
def it_passes_over_nothing(runtimes: NodeRuntimes, end: BootEnd) -> Findings:
    yield from containerd_drafts(runtimes, end)
