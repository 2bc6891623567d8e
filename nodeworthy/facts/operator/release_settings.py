"""The operator's settings that known breakages depend on."""

from __future__ import annotations

from nodeworthy.facts.operator.values import OperatorValues, boolean
from nodeworthy.known.containerd import defaults, same_file
from nodeworthy.known.releases import CDI, CUSTOM_SOCKET, NRI, TOOLKIT, Breakage, has_cdi_on
from nodeworthy.verdict import Known, Located, Unknown


def setting(name: str, values: OperatorValues, breakage: Breakage) -> Located[bool]:
    """Whether it is on, by what is written or by the default of the releases that the breakage is about."""
    match name:
        case "toolkit":
            return _toolkit_edits(values)
        case "cdi":
            return _cdi(values, breakage)
        case "nri":
            return values.toolkit.uses_nri
        case "custom-socket":
            return _custom_socket(values)
    raise ValueError(f"{breakage.id}: no setting is called {name!r}")


SETTINGS = (TOOLKIT, CDI, NRI, CUSTOM_SOCKET)


def is_variable_given(name: str, beginning: str, values: OperatorValues) -> Located[bool]:
    """Whether toolkit.env has this variable, with a value that begins so."""
    variable = values.toolkit.said(name)
    if isinstance(variable.state, Unknown):
        return Located(variable.state, variable.place)
    says = str(variable.state.value) if variable.written else ""
    return Located(Known(says.startswith(beginning)), variable.place, written=variable.written)


def _toolkit_edits(values: OperatorValues) -> Located[bool]:
    """Whether the toolkit changes containerd's config: with the NRI plugin it leaves it alone."""
    nri = values.toolkit.uses_nri
    if isinstance(nri.state, Unknown) or nri.state.value:
        return Located(nri.state if isinstance(nri.state, Unknown) else Known(False), nri.place)
    return values.toolkit.enabled


def _cdi(values: OperatorValues, breakage: Breakage) -> Located[bool]:
    tree = values.tree.get("cdi", "enabled")
    if tree.is_absent and values.elsewhere is not None:
        return Located.unknown(f"cdi.enabled is not known: {values.elsewhere}", tree.place)
    return boolean("cdi.enabled", tree, default=has_cdi_on(breakage.releases))


def _custom_socket(values: OperatorValues) -> Located[bool]:
    socket = values.toolkit.socket
    if isinstance(socket.state, Unknown):
        return Located(socket.state, socket.place)
    custom = not same_file(str(socket.state.value), defaults().socket)
    return Located(Known(custom), socket.place, written=socket.written)
