"""Resources of the services around EC2."""

from __future__ import annotations

from typing import Any

from .aws_calls import Aws
from .kind import Made, Props, named


def scaling(aws: Aws, name: str, props: Props) -> Made:
    told = {k: props[k] for k in ("minSize", "maxSize", "desiredCapacity", "tags")}
    told |= {"autoScalingGroupName": named(name, props), "vpcZoneIdentifier": ",".join(props["vpcZoneIdentifiers"])}
    template = {"launchTemplateId": props["launchTemplate"]["id"], "version": props["launchTemplate"]["version"]}
    aws.call("autoscaling", "create_auto_scaling_group", {**told, "launchTemplate": template})
    return told["autoScalingGroupName"], {"name": told["autoScalingGroupName"]}


def change_scaling(aws: Aws, known: str, props: Props) -> dict[str, Any]:
    told = {k: props[k] for k in ("minSize", "maxSize", "desiredCapacity")}
    template = {"launchTemplateId": props["launchTemplate"]["id"], "version": props["launchTemplate"]["version"]}
    told |= {"autoScalingGroupName": known, "launchTemplate": template}
    aws.call("autoscaling", "update_auto_scaling_group", told)
    return {}


def hook(aws: Aws, name: str, props: Props) -> Made:
    aws.call("autoscaling", "put_lifecycle_hook", {**props, "lifecycleHookName": name})
    return name, {"name": name}


def role(aws: Aws, name: str, props: Props) -> Made:
    told = {"roleName": named(name, props), "assumeRolePolicyDocument": props["assumeRolePolicy"]}
    made = aws.call("iam", "create_role", told)["Role"]
    return made["RoleName"], {"name": made["RoleName"], "arn": made["Arn"]}


def policy(aws: Aws, name: str, props: Props) -> Made:
    told = {"roleName": props["role"], "policyName": named(name, props), "policyDocument": props["policy"]}
    aws.call("iam", "put_role_policy", told)
    return told["policyName"], {"name": told["policyName"]}


def profile(aws: Aws, name: str, props: Props) -> Made:
    made = aws.call("iam", "create_instance_profile", {"instanceProfileName": named(name, props)})["InstanceProfile"]
    told = {"instanceProfileName": made["InstanceProfileName"], "roleName": props["role"]}
    aws.call("iam", "add_role_to_instance_profile", told)
    return made["InstanceProfileName"], {"name": made["InstanceProfileName"], "arn": made["Arn"]}


def end_profile(aws: Aws, known: str, props: Props) -> None:
    told = {"instanceProfileName": known, "roleName": props["role"]}
    aws.call("iam", "remove_role_from_instance_profile", told)
    aws.call("iam", "delete_instance_profile", {"instanceProfileName": known})


def key(aws: Aws, name: str, props: Props) -> Made:
    made = aws.call("kms", "create_key", {"description": props["description"]})["KeyMetadata"]
    aws.call("kms", "enable_key_rotation", {"keyId": made["KeyId"]})
    return made["KeyId"], {"keyId": made["KeyId"], "arn": made["Arn"]}


def logs(aws: Aws, name: str, props: Props) -> Made:
    aws.call("logs", "create_log_group", {"logGroupName": props["name"]})
    told = {"logGroupName": props["name"], "retentionInDays": props["retentionInDays"]}
    aws.call("logs", "put_retention_policy", told)
    return props["name"], {"arn": f"arn:aws:logs:{aws.region}:{aws.account}:log-group:{props['name']}"}


def queue(aws: Aws, name: str, props: Props) -> Made:
    told: dict[str, Any] = {"queueName": named(name, props)}
    told["attributes"] = {"MessageRetentionPeriod": str(int(props["messageRetentionSeconds"]))}
    url = aws.call("sqs", "create_queue", told)["QueueUrl"]
    arn = f"arn:aws:sqs:{aws.region}:{aws.account}:{told['queueName']}"
    return url, {"url": url, "arn": arn, "name": told["queueName"]}


def event_rule(aws: Aws, name: str, props: Props) -> Made:
    told = {"name": named(name, props), "eventPattern": props["eventPattern"]}
    return told["name"], {"name": told["name"], "arn": aws.call("events", "put_rule", told)["RuleArn"]}


def event_target(aws: Aws, name: str, props: Props) -> Made:
    aws.call("events", "put_targets", {"rule": props["rule"], "targets": [{"id": name, "arn": props["arn"]}]})
    return name, {"targetId": name}


def files(aws: Aws, name: str, props: Props) -> Made:
    made = aws.call("efs", "create_file_system", {**props, "creationToken": name})
    known = made["FileSystemId"]
    return known, {"arn": made["FileSystemArn"], "dnsName": f"{known}.efs.{aws.region}.amazonaws.com"}


def door(aws: Aws, name: str, props: Props) -> Made:
    known = aws.call("efs", "create_mount_target", props)["MountTargetId"]
    return known, {"dnsName": f"{props['fileSystemId']}.efs.{aws.region}.amazonaws.com"}


def policy_of_queue(aws: Aws, url: str, policy: str) -> Made:
    aws.call("sqs", "set_queue_attributes", {"queueUrl": url, "attributes": {"Policy": policy}})
    return url, {}


def attach(aws: Aws, how: str, props: Props) -> Any:
    return aws.call("iam", f"{how}_role_policy", {"roleName": props["role"], "policyArn": props["policyArn"]})
