"""Whether the operator's chart makes the ConfigMaps that its parts are told of: from what, and of which form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.mig_layouts import OPERATORS_OWN, MigLayouts
from nodeworthy.facts.operator.recognition import ORIGIN
from nodeworthy.facts.operator.sharing import MAKERS
from nodeworthy.facts.operator.told_of_parts import MIG_MANAGER, ConfiguredPart
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.rules.sharing_configured import RULE
from nodeworthy.verdict import Draft, Findings, Severity, fail, skip, unknown

# What MIG manager opens in whichever map it is given.
_OPENED = "config.yaml"


@RULE.check
def there_is_something_to_make_it_of(told: ConfiguredPart, every: Sequence[OperatorValues]) -> Findings:
    config, data = told.config, told.config.get("data")
    if told.values.origin == ORIGIN:
        skip("no chart makes anything of an object that is there")
    # Whoever keeps values in several files may say it in another one.
    elsewhere = any(each.tree.get(told.part, "config", "data").mapping for each in every)
    if data.text:
        yield _no_mapping(told.part, data)
    elif data.is_absent and told.values.elsewhere is not None:
        yield unknown(config.heading, f"of what the chart makes the ConfigMap of {told.part} is not known: "
                      f"{told.values.elsewhere}")  # fmt: skip
    elif not data.is_unknown and not elsewhere:
        yield from _of_nothing(told.part, config, config.get("name"))


def _of_nothing(part: str, config: Tree, name: Tree) -> Iterator[Draft]:
    if not name.text or name.text == OPERATORS_OWN:
        return
    data = config.get("data")
    yield fail(
        data.heading if not data.is_absent else config.get("create").heading,
        f"the operator's chart makes no ConfigMap '{name.text}': {part}.config.data is empty",
        is_="create: true, and no data",
        should=f"{part}.config.data, with the configurations in it",
        cause=f"its template needs both; the operator mounts '{name.text}' all the same, and the pod waits in "
        f"ContainerCreating: {MAKERS[part]} (later releases refuse to be installed)",
        remedy=f"write {part}.config.data; or, where something else makes the ConfigMap, create: false",
    )


def _no_mapping(part: str, data: Tree) -> Draft:
    key = _OPENED if part == MIG_MANAGER else "NAME"
    return fail(
        data.heading,
        f"{part}.config.data is a text, and the chart makes a ConfigMap's data of it",
        is_="a text",
        should=f"data: {{{key}: |- …}}, a mapping of texts",
        cause=f"the API server refuses a ConfigMap whose data is no mapping, and the release with it: {MAKERS[part]}",
        remedy=f"write {key}: |- below data, and the text one level deeper",
    )


@RULE.check
def mig_manager_opens_what_is_made(told: ConfiguredPart) -> Findings:
    data = told.config.get("data")
    if told.part != MIG_MANAGER or told.values.origin == ORIGIN or not data.mapping:
        skip("its values make no ConfigMap for MIG manager")
    if _OPENED in data.mapping:
        return
    yield _not_opened(data, f"{MIG_MANAGER}.config.data", ", ".join(data.mapping))


@RULE.check
def mig_manager_opens_what_it_is_given(layouts: MigLayouts, every: Sequence[OperatorValues]) -> Findings:
    names = [values.tree.get(MIG_MANAGER, "config", "name") for values in every]
    name = next((each for each in names if each.text and each.text == layouts.config_map), None)
    if name is None:
        skip("no values of the operator name its ConfigMap")
    if _OPENED not in layouts.keys:
        yield _not_opened(name, f"the ConfigMap '{name.string}'", ", ".join(layouts.keys))


def _not_opened(tree: Tree, what: str, keys: str) -> Draft:
    return fail(
        tree.heading,
        f"MIG manager opens {_OPENED} of its ConfigMap, and {what} has none",
        is_=keys,
        should=_OPENED,
        cause="its CONFIG_FILE is /mig-parted-config/config.yaml: it finds no configuration, sets "
        "nvidia.com/mig.config.state=failed, and no GPU is cut into slices",
        remedy=f"call the entry {_OPENED}",
        severity=Severity.ERROR,
    )
