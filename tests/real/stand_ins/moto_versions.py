"""What moto says wrongly of versions of launch templates, mended: a machine was started from the version that its group
named when it started it, with the metadata service that this asks for, and user data of every version is read as that of
the first."""

from __future__ import annotations

from typing import Any


def mend_versions() -> None:
    """For the whole process; a second time changes nothing."""
    _read_user_data_of_every_version()
    _remember_what_machines_were_started_from()


def _read_user_data_of_every_version() -> None:
    """moto reads the user data of a template's first version only: where a group starts from a later one, it is amiss
    in what it takes for read."""
    from moto.ec2.models.launch_templates import LaunchTemplate
    from moto.ec2.utils import parse_user_data

    patched: Any = LaunchTemplate
    unmended = patched.create_version

    def create_version(template: LaunchTemplate, data: dict[str, Any], description: str) -> Any:
        if isinstance(data.get("UserData"), str):
            data["UserData"] = parse_user_data(data["UserData"])
        return unmended(template, data, description)

    if unmended.__name__ != "mended":
        create_version.__name__ = "mended"
        patched.create_version = create_version


def _remember_what_machines_were_started_from() -> None:
    """moto tells the template's default version of every machine, and starts none with its metadata options."""
    from moto.autoscaling.models import FakeAutoScalingGroup, InstanceState
    from moto.ec2.models.instances import MetadataOptions

    group: Any = FakeAutoScalingGroup
    unmended, told = group.replace_autoscaling_group_instances, InstanceState.launch_template
    if unmended.__name__ == "mended":
        return

    def started(each: Any, *arguments: Any) -> None:
        before = {state.instance.id for state in each.instance_states}
        unmended(each, *arguments)
        for state in each.instance_states:
            if state.instance.id not in before and each.ec2_launch_template is not None:
                version = each.ec2_launch_template.get_version(each.launch_template_version)
                state.started_from = version.number
                state.instance.metadata_options = MetadataOptions(version.data.get("MetadataOptions"))

    def launch_template(state: Any) -> Any:
        said = told.fget(state)  # type: ignore[attr-defined]
        number = getattr(state, "started_from", None)
        return {**said, "Version": str(number)} if said and number is not None else said

    started.__name__ = "mended"
    group.replace_autoscaling_group_instances = started
    InstanceState.launch_template = property(launch_template)  # type: ignore[assignment,method-assign]
