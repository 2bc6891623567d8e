"""No token, password or private key stands in user data, values, manifests, stack config or a stack's outputs.

A cloud shows user data to whoever may describe the instance, and the instance's metadata to everything that runs on
it: what EC2, Google Cloud, Oracle Cloud and others do differs, and is said where it is known which one it is. A secret
is known by its form (`ghp_…`, a private key), by the name of what holds it (`PASSWORD=…`, `--token …`) or by the
command that takes it (`curl -u user:…`), never by how random it looks: a cluster's CA, a discovery hash, a digest or a
public key is none. What is fetched when the node boots is none either, nor is a path, an ARN, an empty value or a
placeholder. A password that everybody knows (`changeme`) is one in user data, for the node would run with it; in
manifests and values it waits for somebody to fill it in, and in what installs a chart as it stands (Argo CD's
Application, Flux' HelmRelease, k3s' HelmChart, `helm install --set`) nobody will: a warning. A script that fills a
cluster's token into the user data of the machines which it starts (`--user-data file://…`) puts it there, wherever it
has it from.

Secrets of Kubernetes and ConfigMaps are read as they stand in the repository, base64 included; what is encrypted (a
SealedSecret, SOPS) or fetched (an ExternalSecret) is none. Of what a Pulumi program hands to Kubernetes (objects, a
chart's values) every text is read; what it marks as a secret is encrypted in its state, and is none. Slurm jobs are
read as well: whoever may see the job's script sees what it exports; so is the config.yaml of k3s and RKE2, also where
YAML can't read it, what kubeadm is given with `--config`, and what hands secrets on: scripts, makefiles, Vagrantfiles,
units of systemd and tasks of Ansible that have to do with a cluster, and what Ansible is told of its machines
(`ansible_become_pass`, `k3s_token`) in inventories and variables, unless a vault keeps it. So are Dockerfiles and
compose files that run models or belong to a cluster, what Prometheus scrapes with and Alertmanager sends with, and
`.env`, unless git leaves it out. There a password that everybody gives to a service of their own (`postgres`) is none.
What is taken where nobody gives another (`{{ k3s_token | default('…') }}`, `${PASSWORD:-…}`) is one.

Of a template of CloudFormation the default of a parameter is read as well: it stands there for whoever reads the
template, also where `NoEcho` hides it later. So is all that a file of Terraform writes down: a variable's default, also
of one that is `sensitive`, a file of variables, what is set for a chart. A plan of Terraform in JSON (`terraform show
-json`) says in plain words what is sensitive, so that one which is kept in the repository is a finding itself.

A stack's outputs are kept in its state and shown to whoever may read the stack, in the log of every update as well. One
that the program marks as a secret is encrypted there. One whose name says that it is a secret, and whose value nobody
knows before deployment, is unknown.

A template variable whose own name says that it is a secret (`${ghcr_token}`) is a finding: whatever fills it in, it
then stands in user data. So is what Terraform makes or takes from a store and keeps out of its plan (the result of a
`random_password`, the private key of a `tls_private_key`). Where only what takes it is called so
(`PASSWORD=${registry_auth}`), that is unknown: it may as well be the name of a secret that is fetched later.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.secrets.plain_text import ENCRYPTED, PlainText, scalars
from nodeworthy.facts.secrets.planned_secret import PlannedObject, PlannedSecret, SecretManifest, StackOutput
from nodeworthy.known.secret_names import chart_that_ships, is_default
from nodeworthy.known.secrets import HIDDEN, Secret, forms, what_is
from nodeworthy.records import dataclass
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, skip, unknown

RULE = Rule(
    "no-secret-in-plain-sight",
    severity=Severity.ERROR,
    incident="D",
    title="No token, password or private key stands in user data, values, manifests, stack config or a stack's outputs",
    remedy="keep it in a store and let what needs it fetch it; then change it, for it has been seen",
)

_REFER = "keep it in a Secret and refer to it (existingSecret, secretKeyRef); then change it, for it has been seen"
_REFER_TO = "give one of your own in a Secret, and refer to it (existingSecret, secretKeyRef)"

_HAND_OVER = (
    "keep it in the stack's config, encrypted (pulumi config set --secret KEY), and hand it over in a Secret "
    "(existingSecret, secretKeyRef); then change it, for it has been seen"
)
_MARK = 'export it as a secret, or not at all: pulumi.export("…", pulumi.Output.secret(value))'


@dataclass(frozen=True)
class Sight:
    """Where something stands, and who sees it there."""

    where: str
    cause: str
    remedy: str

    def finding(self, place: Place, what: str, name: str) -> Draft:
        message = f"{what} stands in {self.where}{f', as {name}' if name else ''}"
        should = "fetched, or referred to"
        return fail(place, message, is_=HIDDEN, should=should, cause=self.cause, remedy=self.remedy)


_SECRET = Sight("a manifest", "base64 hides nothing: whoever may read the repository reads it", ENCRYPTED)


@RULE.check
def files_hold_none(text: PlainText) -> Findings:
    sight = Sight(
        text.what, "whoever may read the repository reads it, and every clone of it keeps it", text.remedy or _REFER
    )
    every = text.secrets
    found = [each for each in every if not is_default(text.text[each.start : each.end])]
    for each in every if text.is_applied else ():
        if each not in found:
            yield _known_to_everybody(text, each)
    known = [each for each in found if each.what not in forms() and _is_given(each, text)]
    for each in found:
        if each not in known:
            yield sight.finding(text.at(each.line, each.column), each.what, each.name)
    if known:
        yield _given_by_a_chart(text, known)


def _is_given(each: Secret, text: PlainText) -> bool:
    return text.is_of_a_chart or chart_that_ships(each.name, text.text[each.start : each.end]) is not None


def _known_to_everybody(text: PlainText, each: Secret) -> Draft:
    return fail(
        text.at(each.line, each.column),
        f"{each.what} that everybody knows stands in {text.what}{f', as {each.name}' if each.name else ''}",
        is_=HIDDEN,
        should="fetched, or referred to",
        cause="it is installed as it stands here: whoever can reach it logs in",
        remedy=_REFER_TO,
        severity=Severity.WARNING,
    )


def _given_by_a_chart(text: PlainText, known: Sequence[Secret]) -> Draft:
    """Nobody's own: said once, as what it is."""
    first, *others = known
    whose = chart_that_ships(first.name, text.text[first.start : first.end])
    chart = f"the {whose} chart's" if whose and not whose.endswith("'s") else f"{whose or 'the'} chart's"
    what = first.what.removeprefix("a ").removeprefix("an ")
    return fail(
        text.at(first.line, first.column),
        f"{chart} default {what} stands in {text.what}{f', as {first.name}' if first.name else ''}",
        is_=HIDDEN,
        should="fetched, or referred to",
        cause="whoever reads the chart knows it, and where nothing else is given, it is what is used",
        remedy=_REFER_TO,
        related=[Related(text.at(each.line, each.column), f"{each.what}, too") for each in others],
        severity=Severity.WARNING,
    )


@RULE.check
def secrets_hold_none_in_base64(secret: SecretManifest) -> Findings:
    for name, tree, text in secret.packed():
        what = what_is(name, text) if not is_default(text) else None
        if what is not None:
            yield _SECRET.finding(tree.place, what, name)


@RULE.check
def values_hold_none(values: OperatorValues) -> Findings:
    if values.place.path is not None and values.place.urn is None:
        return  # the file that they stand in is looked at as a whole
    sight = Sight(values.origin, "whoever may read the release reads it", _REFER)
    for name, tree in scalars(values.tree):
        what = None if tree.secret or is_default(tree.string) else what_is(name, tree.string)
        if what is not None:
            yield sight.finding(tree.place, what, name)


@RULE.check
def planned_objects_hold_none(secret: PlannedSecret) -> Findings:
    if not secret.is_sure:
        why = f"whether the program keeps {secret.name} of {secret.origin} as a secret is not known"
        yield unknown(
            secret, f"{why}: helm.v3.Chart does not say", remedy="install it as a helm.v3.Release, which does"
        )
        return
    cause = "whoever may read the program, the stack's state or the object reads it"
    yield Sight(secret.origin, cause, _HAND_OVER).finding(secret.place, secret.what, secret.name)


@RULE.check
def planned_objects_are_looked_at(object_: PlannedObject) -> Findings:
    if object_.to_come:
        named = " and ".join(dict.fromkeys(object_.to_come))
        skip(f"whether {named} of {object_.origin} is given in plain words is known only after deployment")
    yield from ()


@RULE.check
def outputs_hold_none(output: StackOutput) -> Findings:
    if output.what is None:
        why = f"whether output {output.name} holds a secret in plain words is not known before deployment"
        yield unknown(output, why, remedy=_MARK)
        return
    cause = "it stands in the stack's state, in the log of every update, and in what `pulumi stack output` shows"
    sight = Sight("an output of the stack", cause, _MARK)
    yield sight.finding(output.place, output.what, output.name)
