"""Which call of AWS makes a resource, and which one ends it: the kinds that moto knows. Any other gets a made-up id.

This is no provider: nothing is read back, nothing waits, and AWS is told of changes only where nodes follow from them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import of_ec2, of_others
from .aws_calls import Aws
from .kind import Kind, Props


def _ended(service: str, operation: str, identity: str) -> Callable[[Aws, str, Props], Any]:
    return lambda aws, known, props: aws.call(service, operation, {identity: known})


KINDS: dict[str, Kind] = {
    "aws:ec2/vpc:Vpc": Kind(of_ec2.vpc, of_ec2.VPC.end),
    "aws:ec2/subnet:Subnet": of_ec2.simple("subnet", "Subnet"),
    "aws:ec2/internetGateway:InternetGateway": Kind(of_ec2.gateway, of_ec2.end_gateway),
    "aws:ec2/eip:Eip": Kind(
        lambda aws, name, props: (aws.ec2("allocate_address", {"domain": props["domain"]})["AllocationId"], {}),
        lambda aws, known, props: aws.ec2("release_address", {"allocationId": known}),
    ),
    "aws:ec2/natGateway:NatGateway": of_ec2.simple("nat_gateway", "NatGateway"),
    "aws:ec2/routeTable:RouteTable": Kind(of_ec2.routes, of_ec2.ROUTES.end),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": Kind(
        lambda aws, name, props: (aws.ec2("associate_route_table", props)["AssociationId"], {}),
        lambda aws, known, props: aws.ec2("disassociate_route_table", {"associationId": known}),
    ),
    "aws:ec2/securityGroup:SecurityGroup": Kind(
        of_ec2.group, lambda aws, known, props: aws.ec2("delete_security_group", {"groupId": known})
    ),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": of_ec2.rule("ingress"),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": of_ec2.rule("egress"),
    "aws:ec2/launchTemplate:LaunchTemplate": Kind(
        of_ec2.template,
        lambda aws, known, props: aws.ec2("delete_launch_template", {"launchTemplateId": known}),
        of_ec2.next_version,
    ),
    "aws:autoscaling/group:Group": Kind(
        of_others.scaling,
        lambda aws, known, props: aws.call(
            "autoscaling", "delete_auto_scaling_group", {"autoScalingGroupName": known, "forceDelete": True}
        ),
        of_others.change_scaling,
    ),
    "aws:autoscaling/lifecycleHook:LifecycleHook": Kind(
        of_others.hook,
        lambda aws, known, props: aws.call(
            "autoscaling",
            "delete_lifecycle_hook",
            {"lifecycleHookName": known, "autoScalingGroupName": props["autoscalingGroupName"]},
        ),
    ),
    "aws:iam/role:Role": Kind(of_others.role, _ended("iam", "delete_role", "roleName")),
    "aws:iam/rolePolicy:RolePolicy": Kind(
        of_others.policy,
        lambda aws, known, props: aws.call(
            "iam", "delete_role_policy", {"roleName": props["role"], "policyName": known}
        ),
    ),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": Kind(
        lambda aws, name, props: (name, of_others.attach(aws, "attach", props) and {}),
        lambda aws, known, props: of_others.attach(aws, "detach", props),
    ),
    "aws:iam/instanceProfile:InstanceProfile": Kind(of_others.profile, of_others.end_profile),
    "aws:kms/key:Key": Kind(of_others.key, _ended("kms", "schedule_key_deletion", "keyId")),
    "aws:cloudwatch/logGroup:LogGroup": Kind(of_others.logs, _ended("logs", "delete_log_group", "logGroupName")),
    "aws:sqs/queue:Queue": Kind(of_others.queue, _ended("sqs", "delete_queue", "queueUrl")),
    "aws:sqs/queuePolicy:QueuePolicy": Kind(
        lambda aws, name, props: of_others.policy_of_queue(aws, props["queueUrl"], props["policy"]),
        lambda aws, known, props: of_others.policy_of_queue(aws, known, ""),
    ),
    "aws:cloudwatch/eventRule:EventRule": Kind(of_others.event_rule, _ended("events", "delete_rule", "name")),
    "aws:cloudwatch/eventTarget:EventTarget": Kind(
        of_others.event_target,
        lambda aws, known, props: aws.call("events", "remove_targets", {"rule": props["rule"], "ids": [known]}),
    ),
    "aws:efs/fileSystem:FileSystem": Kind(of_others.files, _ended("efs", "delete_file_system", "fileSystemId")),
    "aws:efs/mountTarget:MountTarget": Kind(of_others.door, _ended("efs", "delete_mount_target", "mountTargetId")),
}
