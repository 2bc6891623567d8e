"""Resources of EC2: the network, who may talk to whom, launch templates."""

from __future__ import annotations

from typing import Any

from .aws_calls import Aws
from .kind import Kind, Made, Props, named

DASHED = {"nat_gateway": "natgateway"}


def simple(kind: str, made: str) -> Kind:
    """What `create_KIND` makes and `delete_KIND` ends; its id is the answer's `made.madeId`."""
    identity = f"{made}Id"

    def make(aws: Aws, name: str, props: Props) -> Made:
        known = aws.ec2(f"create_{kind}", _tagged(kind, props))[made][identity]
        return known, {"arn": f"arn:aws:ec2:{aws.region}:{aws.account}:{kind}/{known}"}

    return Kind(make, lambda aws, known, props: aws.ec2(f"delete_{kind}", {identity: known}))


def _tagged(kind: str, props: Props) -> dict[str, Any]:
    """Most kinds are spelt with a dash where they are tagged."""
    told = {name: value for name, value in props.items() if name != "tags"}
    if props.get("tags"):
        told["tagSpecifications"] = [{"resourceType": DASHED.get(kind, kind.replace("_", "-")), "tags": props["tags"]}]
    return told


VPC, ROUTES = simple("vpc", "Vpc"), simple("route_table", "RouteTable")


def vpc(aws: Aws, name: str, props: Props) -> Made:
    made = VPC.make(aws, name, {k: v for k, v in props.items() if not k.startswith("enable")})
    for each in ("enableDnsSupport", "enableDnsHostnames"):
        aws.ec2("modify_vpc_attribute", {"vpcId": made[0], each: {"value": props[each]}})
    return made


def gateway(aws: Aws, name: str, props: Props) -> Made:
    made = aws.ec2("create_internet_gateway", _tagged("internet_gateway", {"tags": props["tags"]}))
    known = made["InternetGateway"]["InternetGatewayId"]
    aws.ec2("attach_internet_gateway", {"internetGatewayId": known, "vpcId": props["vpcId"]})
    return known, {}


def end_gateway(aws: Aws, known: str, props: Props) -> None:
    aws.ec2("detach_internet_gateway", {"internetGatewayId": known, "vpcId": props["vpcId"]})
    aws.ec2("delete_internet_gateway", {"internetGatewayId": known})


def routes(aws: Aws, name: str, props: Props) -> Made:
    made = ROUTES.make(aws, name, {k: v for k, v in props.items() if k != "routes"})
    for route in props["routes"]:
        aws.ec2("create_route", {"routeTableId": made[0], **route}, {"cidrBlock": "destinationCidrBlock"})
    return made


def group(aws: Aws, name: str, props: Props) -> Made:
    """As the provider does, without the rule that lets everything out."""
    told = {"groupName": named(name, props), **{k: props[k] for k in ("description", "vpcId")}}
    known = aws.ec2("create_security_group", _tagged("security_group", {**told, "tags": props["tags"]}))["GroupId"]
    everything = {"ipProtocol": "-1", "ipRanges": [{"cidrIp": "0.0.0.0/0"}]}
    aws.ec2("revoke_security_group_egress", {"groupId": known, "ipPermissions": [everything]})
    for rule in props.get("ingress", ()):
        pairs = [{"groupId": each} for each in rule.get("securityGroups", ())]
        ports = {"ipProtocol": rule["protocol"], "fromPort": rule["fromPort"], "toPort": rule["toPort"]}
        permission = {
            **ports,
            "userIdGroupPairs": pairs,
            "ipRanges": [{"cidrIp": c} for c in rule.get("cidrBlocks", ())],
        }
        aws.ec2("authorize_security_group_ingress", {"groupId": known, "ipPermissions": [permission]})
    return known, {"name": told["groupName"]}


def rule(way: str) -> Kind:
    def make(aws: Aws, name: str, props: Props) -> Made:
        permission = {key: props[key] for key in ("ipProtocol", "fromPort", "toPort") if key in props}
        if "referencedSecurityGroupId" in props:
            permission["userIdGroupPairs"] = [{"groupId": props["referencedSecurityGroupId"]}]
        if "cidrIpv4" in props:
            permission["ipRanges"] = [{"cidrIp": props["cidrIpv4"], "description": props.get("description", "")}]
        told = {"groupId": props["securityGroupId"], "ipPermissions": [permission]}
        known = aws.ec2(f"authorize_security_group_{way}", told)["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        return known, {"securityGroupRuleId": known}

    def end(aws: Aws, known: str, props: Props) -> None:
        told = {"groupId": props["securityGroupId"], "securityGroupRuleIds": [known]}
        aws.ec2(f"revoke_security_group_{way}", told)

    return Kind(make, end)


OF_TEMPLATE = {"vpcSecurityGroupIds": "securityGroupIds", "securityGroups": "groups"}
NOT_OF_TEMPLATE = ("name", "tags", "updateDefaultVersion")


def template_data(props: Props) -> dict[str, Any]:
    return {name: value for name, value in props.items() if name not in NOT_OF_TEMPLATE}


def template(aws: Aws, name: str, props: Props) -> Made:
    told = {"launchTemplateName": named(name, props), "launchTemplateData": template_data(props)}
    made = aws.ec2("create_launch_template", _tagged("launch_template", {**told, "tags": props["tags"]}), OF_TEMPLATE)
    template = made["LaunchTemplate"]
    versions = {"latestVersion": template["LatestVersionNumber"], "defaultVersion": template["DefaultVersionNumber"]}
    return template["LaunchTemplateId"], {"name": template["LaunchTemplateName"], **versions}


def next_version(aws: Aws, known: str, props: Props) -> dict[str, Any]:
    told = {"launchTemplateId": known, "launchTemplateData": template_data(props)}
    made = aws.ec2("create_launch_template_version", told, OF_TEMPLATE)["LaunchTemplateVersion"]["VersionNumber"]
    aws.ec2("modify_launch_template", {"launchTemplateId": known, "defaultVersion": made})
    return {"latestVersion": made, "defaultVersion": made}
