from pathlib import Path

from nodeworthy.collect.source.constructed import enum_value
from tests.run import run


def test_a_name_of_a_library_is_what_it_stands_for() -> None:
    assert enum_value(("ec2", "InstanceType", "G5_48XLarge")) == "g5.48xlarge"


def test_an_attribute_of_a_call_has_no_name() -> None:
    assert enum_value(()) is None


def test_a_program_that_asks_a_call_for_its_argument_is_read(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: gpus\nruntime: python\n")
    (tmp_path / "__main__.py").write_text(
        'import pulumi_aws as aws\n\ngpu = aws.eks.NodeGroup("gpu", cluster_name=make().name)\n'
    )

    assert "fault of nodeworthy" not in run("check", str(tmp_path)).err
