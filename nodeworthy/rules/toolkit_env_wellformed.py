"""The operator and its toolkit can read `toolkit.env`, and each entry has an effect.

The operator takes bare absolute host paths and mounts their folders: a URL, a relative path or the path inside
the pod (`/runtime/…`) becomes an empty folder. Values are strings, of duplicates the first wins, and for the
host path only `CONTAINERD_SOCKET` is read: `RUNTIME_SOCKET` alone is a dead setting, and where both spellings are
given, the installer inside the pod prefers the other one, so they must agree. With the toolkit off, or with
the NRI plugin on, none of them does anything, and whoever wrote them believes otherwise; with the toolkit off
neither does any other variable of the list (`CONTAINERD_RUNTIME_CLASS`), which is a warning. So does a name that is
another one by a letter (`containerd_socket`, `CONTAINER_CONFIG`): nobody reads it, and the operator takes its default.
"""

from __future__ import annotations

from collections import defaultdict

from nodeworthy.documents.settled import is_charts
from nodeworthy.facts.operator.by_helm import OperatorByHelm
from nodeworthy.facts.operator.values import EnvVar, OperatorValues, PatchedPolicy, ToolkitSettings
from nodeworthy.known.operator_parts import CONFIG, PATHS, RUNTIME_CONFIG, RUNTIME_SOCKET, SOCKET
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Related, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "toolkit-env-wellformed",
    severity=Severity.ERROR,
    incident="A",
    title="toolkit.env holds bare absolute paths as strings, once each, none of them dead",
    remedy="write each variable of toolkit.env once, as a quoted bare absolute host path",
    mends=True,
)

SOCKETS = (SOCKET, RUNTIME_SOCKET)
CONFIGS = (CONFIG, RUNTIME_CONFIG)
INSIDE_THE_POD = "/runtime/"


@RULE.check
def the_list_can_be_read(values: OperatorValues) -> Findings:
    env = values.toolkit.env
    if isinstance(env.value, Unknown) and is_charts(env.value.why):
        skip("the values of its chart say what toolkit.env is")
    if isinstance(env.value, Unknown):
        yield unknown(env, f"toolkit.env is not known: {env.value.why}")
    elif not values.toolkit.is_a_list:
        yield fail(env, "toolkit.env is not a list of variables", is_=env.kind(), should="a list of name and value")
    split = dict(values.toolkit.split_by_a_dash)
    for index, variable in enumerate(values.toolkit.variables):
        if index in split:
            yield _split(variable, split[index])
        elif index - 1 not in split:
            yield from _name(variable)
            yield from _value(variable)
    yield from _duplicates(values.toolkit)


def _split(named: EnvVar, valued: EnvVar) -> Draft:
    """One variable in two entries: the first has no value, and the second no name."""
    from nodeworthy.facts.operator.toolkit_edits import without_dash

    name = named.name.shown()
    return fail(
        valued.tree,
        f"a dash too many splits {name} in two: an entry without a value, and one without a name",
        is_="- value: …",
        should="value: …, in the entry above",
        related=[Related(named.name.place, f"the name stands here: {name}")],
        remedy=f"take the dash before value away, so that value stands below name in the entry of {name}",
        edit=without_dash(valued),
    )


def _name(variable: EnvVar) -> Findings:
    entry = variable.tree
    if isinstance(variable.name.state, Unknown):
        yield unknown(variable.name, f"the variable's name is not known: {variable.name.state.why}")
    elif not entry.is_mapping:
        yield fail(entry, "an entry of toolkit.env is no variable", is_=entry.kind(), should="name: …, value: …")
    elif not isinstance(variable.name.state.value, str) or not variable.name.state.value:
        yield fail(entry, "an entry of toolkit.env has no name", is_=variable.name.shown(), should="a name")
    elif variable.meant is not None:
        says = f"{variable.name.state.value!r} is no variable that the operator reads"
        yield fail(variable.name, says, should=variable.meant, remedy=f"name it {variable.meant}")


def _value(variable: EnvVar) -> Findings:
    name, value = variable.name.state, variable.value
    if not isinstance(name, Known) or not isinstance(name.value, str):
        return
    if isinstance(value.state, Unknown):
        yield unknown(value, f"{name.value} is not known: {value.state.why}")
    elif variable.tree.get("value").is_mapping or variable.tree.get("value").is_sequence:
        yield fail(value, f"{name.value} is no string", is_=variable.tree.get("value").kind(), should="a string")
    elif not isinstance(value.state.value, str) and value.written:
        yield _not_a_string(name.value, variable)
    elif name.value in PATHS:
        yield from _path(name.value, variable, value.state.value if value.written else "")


def _not_a_string(name: str, variable: EnvVar) -> Draft:
    from nodeworthy.edit import replacing

    value = variable.tree.get("value")
    shown = variable.value.shown()
    plain = {"True": "true", "False": "false", "None": "null"}.get(shown, shown)
    written = plain if variable.value.secret else value.written or plain
    edit = replacing(variable.value, written, "Quote the value", was=written)
    return fail(
        variable.value,
        f"{name} is {value.kind()}, not a string: the API refuses the DaemonSet",
        is_=written,
        should=f'"{written}"',
        remedy=f'quote it: value: "{written}" (with --set, use --set-string)',
        edit=edit if variable.value.state != Known(None) else None,
    )


def _path(name: str, variable: EnvVar, path: str) -> Findings:
    what = "a bare absolute host path that ends in .sock" if name in SOCKETS else "a bare absolute host path of a file"
    fault = _fault(name, path)
    if fault:
        from nodeworthy.facts.operator.toolkit_edits import bare

        is_, edit = None if path else "(empty)", bare(variable.value, path)
        yield fail(variable.value, f"{name} {fault}", is_=is_, should=what, edit=edit)


def _fault(name: str, path: str) -> str | None:
    if not path:
        return "is empty"
    if path != path.strip():
        return "has white space around it"
    if "://" in path:
        scheme = path.partition("://")[0]
        return f"is a URL, and the operator takes a bare path: it would mount a folder that begins with {scheme}:"
    if not path.startswith("/"):
        return "is not an absolute path"
    if path.startswith(INSIDE_THE_POD):
        return "is a path inside the toolkit's pod, not on the host"
    if name in SOCKETS and not path.endswith(".sock"):
        return "does not end in .sock"
    if name in CONFIGS and path.endswith("/"):
        return "is a folder, not a file"
    return None


def _duplicates(toolkit: ToolkitSettings) -> Findings:
    by_name: dict[str, list[EnvVar]] = defaultdict(list)
    for variable in toolkit.variables:
        if isinstance(variable.name.state, Known) and isinstance(variable.name.state.value, str):
            by_name[variable.name.state.value].append(variable)
    for name, (first, *others) in by_name.items():
        for other in others:
            from nodeworthy.facts.operator.toolkit_edits import without_twin

            yield fail(
                other.value,
                f"{name} stands twice in toolkit.env, and the first one wins",
                should="one entry",
                related=[Related(first.place, f"this one wins: {first.value.shown()}")],
                remedy=f"remove one of the two entries of {name}",
                edit=without_twin(first, other),
            )


@RULE.check
def no_setting_is_dead(values: OperatorValues) -> Findings:
    toolkit = values.toolkit
    paths = [variable for name in PATHS if (variable := toolkit.named(name)) is not None]
    # One without a name is told by itself.
    named = (each for each in toolkit.variables if isinstance(each.name.state, Known) and each.name.state.value)
    others = [each for each in named if each not in paths]
    if others and not need(toolkit.enabled):
        yield _others_dead(toolkit, others)
    if not paths:
        return
    why = _why_dead(toolkit)
    if why is not None:
        for variable in paths:
            name = need(variable.name)
            yield fail(
                variable.value,
                f"{name} has no effect: {why}",
                should=f"no {name}",
                remedy=f"remove {name}, or turn on what reads it",
            )
    elif toolkit.named(RUNTIME_SOCKET) is not None and toolkit.said(SOCKET).state == Known(None):
        yield _runtime_socket_alone(toolkit)
    else:
        yield from _disagreement(toolkit, SOCKETS)
        yield from _disagreement(toolkit, CONFIGS)


@RULE.check
def a_patch_can_be_read(patch: PatchedPolicy) -> Findings:
    """A patch of the ClusterPolicy, by a script: its list replaces the one that is there."""
    if patch.values.toolkit.env.is_absent:
        skip("it changes nothing of toolkit.env")
    yield from the_list_can_be_read(patch.values)


@RULE.check
def helm_is_told_nothing_in_vain(operator: OperatorByHelm) -> Findings:
    toolkit = operator.values.toolkit
    told = [need(each.name) for each in toolkit.variables if isinstance(each.name.state, Known)]
    if not told:
        skip("the command sets no toolkit.env")
    if not need(toolkit.enabled):
        yield fail(
            operator,
            "toolkit.env has no effect: the same command sets toolkit.enabled=false",
            is_=", ".join(str(each or "an entry without a name") for each in told),
            should="no toolkit.env, or toolkit.enabled=true",
            remedy="take the settings of toolkit.env away, or let the operator bring the toolkit: toolkit.enabled=true",
        )
        return
    for each in (*the_list_can_be_read(operator.values), *no_setting_is_dead(operator.values)):
        yield replace(each, edit=None)


def _why_dead(toolkit: ToolkitSettings) -> str | None:
    if not need(toolkit.enabled):
        return "the operator's toolkit is off"
    if need(toolkit.uses_nri):
        return "with the NRI plugin the toolkit edits no containerd config"
    return None


def _others_dead(toolkit: ToolkitSettings, others: list[EnvVar]) -> Draft:
    """They lead to no wrong containerd; who wrote them believes that the toolkit obeys them."""
    names = [str(need(each.name)) for each in others]
    return fail(
        toolkit.env.heading,
        f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} no effect: the operator's toolkit is off",
        is_=", ".join(names),
        should="none of them, or toolkit.enabled: true",
        related=[Related(toolkit.enabled.place, "the toolkit is off here")],
        remedy="remove them and set the same where the host's toolkit is configured, or set toolkit.enabled: true",
        severity=Severity.WARNING,
    )


def _runtime_socket_alone(toolkit: ToolkitSettings) -> Draft:
    from nodeworthy.edit import replacing

    variable = toolkit.named(RUNTIME_SOCKET)
    assert variable is not None
    return fail(
        variable.value,
        "RUNTIME_SOCKET alone has no effect: for the host path the operator reads only CONTAINERD_SOCKET",
        should=f"{SOCKET}={variable.value.shown()}",
        remedy=f"name it {SOCKET}",
        edit=replacing(variable.name, SOCKET, f"Name it {SOCKET}"),
    )


def _disagreement(toolkit: ToolkitSettings, names: tuple[str, str]) -> Findings:
    ours, theirs = toolkit.named(names[0]), toolkit.named(names[1])
    if ours is None or theirs is None:
        return
    if need(ours.value) != need(theirs.value):
        yield fail(
            theirs.value,
            f"{names[1]} and {names[0]} disagree: the operator mounts the one, the installer reads the other",
            should=ours.value.shown(),
            related=[Related(ours.place, f"{names[0]} is {ours.value.shown()}")],
            remedy=f"give both the same path, or only {names[0]}",
        )
