"""Who administers the cluster, besides the one who made it."""

from __future__ import annotations

from tests.infra.plans import house, inputs, of_fleet
from tests.run import run

ENTRY = "aws:eks/accessEntry:AccessEntry"
POLICY = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
POOLS = "pools:\n  cpu: {instanceType: c7i.4xlarge}\n"
PLATFORM, EVE = "arn:aws:iam::111122223333:role/Platform", "arn:aws:iam::444455556666:user/eve"


def test_those_whom_the_stack_names_and_nobody_else() -> None:
    plan = of_fleet(POOLS, f"  nodeworthy:admins: [{PLATFORM}, '{EVE}', {PLATFORM}]\n")
    people = {told["principalArn"] for name, told in inputs(plan, ENTRY).items() if name != "made-node"}
    assert people == {PLATFORM, EVE}
    allowed = inputs(plan, POLICY)
    assert len(allowed) == 2
    assert all(told["policyArn"].endswith("/AmazonEKSClusterAdminPolicy") for told in allowed.values())
    assert set(inputs(of_fleet(POOLS), ENTRY)) == {"made-node"}


def test_what_is_no_principal_is_refused_by_name() -> None:
    with house() as folder:
        (folder / "Pulumi.made.yaml").write_text(
            "config:\n  aws:region: us-east-2\n  nodeworthy:admins: [Platform]\n"
            f"  nodeworthy:fleet:\n    cluster: {{name: made}}\n    {POOLS.strip().replace(chr(10), chr(10) + '    ')}\n"
        )
        ran = run("preview", cwd=folder)
    assert ran.code == 2
    assert "nodeworthy:admins has 'Platform', and must have roles or users of IAM" in ran.err
