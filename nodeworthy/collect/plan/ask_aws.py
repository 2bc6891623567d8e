"""Asks the account once what a program asks of AWS: read-only, by boto3, in the shape of Pulumi's own answers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from nodeworthy.collect.plan.answers import Question
from nodeworthy.errors import CouldNotLook, InputError, MissingExtra

Arguments = Mapping[str, Any]
Answer = dict[str, Any]


class AskAws:
    """One of `answers.Asks`: knows the calls of the table below and no others."""

    def __init__(self, region: str | None, profile: str | None = None) -> None:
        try:
            self._boto3 = importlib.import_module("boto3")
            self._problems = importlib.import_module("botocore.exceptions")
        except ImportError:
            raise MissingExtra("--ask-aws", "aws") from None
        self._region = region
        self._profile = profile

    def __call__(self, question: Question) -> Answer | None:
        ask = _CALLS.get(question.call)
        if ask is None:
            return None
        region = question.arguments.get("region") or self._region
        try:
            session = self._boto3.Session(region_name=region, profile_name=self._profile)
            return ask(session, question.arguments)
        except self._problems.ClientError as problem:
            raise InputError(f"AWS refuses {question.shown()}: {problem}") from None
        except self._problems.BotoCoreError as problem:
            raise CouldNotLook(f"AWS could not be asked {question.shown()}: {problem}") from None


def _filters(arguments: Arguments) -> list[dict[str, Any]]:
    return [{"Name": each["name"], "Values": list(each["values"])} for each in arguments.get("filters") or ()]


def _ami(session: Any, arguments: Arguments) -> Answer:
    asked: dict[str, Any] = {"Owners": list(arguments.get("owners") or ("self",)), "Filters": _filters(arguments)}
    images = session.client("ec2").describe_images(**asked)["Images"]
    if not images or (len(images) > 1 and not arguments.get("mostRecent")):
        raise InputError(f"{len(images)} images answer aws:ec2/getAmi:getAmi; one is needed")
    image = max(images, key=lambda each: (each.get("CreationDate", ""), each["ImageId"]))
    return {
        "id": image["ImageId"],
        "imageId": image["ImageId"],
        "name": image.get("Name", ""),
        "architecture": image.get("Architecture", ""),
        "creationDate": image.get("CreationDate", ""),
        "ownerId": image.get("OwnerId", ""),
        "rootDeviceName": image.get("RootDeviceName", ""),
    }


def _zones(session: Any, arguments: Arguments) -> Answer:
    filters = _filters(arguments)
    if arguments.get("state"):
        filters.append({"Name": "state", "Values": [arguments["state"]]})
    found = session.client("ec2").describe_availability_zones(
        Filters=filters, AllAvailabilityZones=bool(arguments.get("allAvailabilityZones", False))
    )["AvailabilityZones"]
    left_out = set(arguments.get("excludeNames") or ())
    zones = sorted((each for each in found if each["ZoneName"] not in left_out), key=lambda each: str(each["ZoneName"]))
    return {
        "id": session.region_name,
        "names": [each["ZoneName"] for each in zones],
        "zoneIds": [each["ZoneId"] for each in zones],
        "groupNames": sorted({each.get("GroupName", session.region_name) for each in zones}),
    }


def _identity(session: Any, _: Arguments) -> Answer:
    told = session.client("sts").get_caller_identity()
    return {"id": told["Account"], "accountId": told["Account"], "arn": told["Arn"], "userId": told["UserId"]}


def _region(session: Any, arguments: Arguments) -> Answer:
    name = arguments.get("name") or session.region_name
    return {"id": name, "name": name, "region": name, "endpoint": f"ec2.{name}.amazonaws.com"}


def _parameter(session: Any, arguments: Arguments) -> Answer:
    told = session.client("ssm").get_parameter(Name=arguments["name"])["Parameter"]
    if told["Type"] == "SecureString":
        raise InputError(f"the parameter {arguments['name']} is a SecureString: a secret is not written into a file")
    return {
        "id": told["Name"],
        "name": told["Name"],
        "arn": told.get("ARN", ""),
        "type": told["Type"],
        "value": told["Value"],
        "insecureValue": told["Value"],
        "version": told["Version"],
    }


def _vpc(session: Any, arguments: Arguments) -> Answer:
    asked: dict[str, Any] = {"Filters": _filters(arguments)}
    if arguments.get("id"):
        asked["VpcIds"] = [arguments["id"]]
    if arguments.get("default"):
        asked["Filters"].append({"Name": "is-default", "Values": ["true"]})
    found = session.client("ec2").describe_vpcs(**asked)["Vpcs"]
    if len(found) != 1:
        raise InputError(f"{len(found)} networks answer aws:ec2/getVpc:getVpc; one is needed")
    return {"id": found[0]["VpcId"], "cidrBlock": found[0]["CidrBlock"], "default": found[0].get("IsDefault", False)}


def _subnets(session: Any, arguments: Arguments) -> Answer:
    found = session.client("ec2").describe_subnets(Filters=_filters(arguments))["Subnets"]
    return {"id": session.region_name, "ids": sorted(each["SubnetId"] for each in found)}


_CALLS: Mapping[str, Callable[[Any, Arguments], Answer]] = {
    "aws:ec2/getAmi:getAmi": _ami,
    "aws:index/getAvailabilityZones:getAvailabilityZones": _zones,
    "aws:index/getCallerIdentity:getCallerIdentity": _identity,
    "aws:index/getRegion:getRegion": _region,
    "aws:ssm/getParameter:getParameter": _parameter,
    "aws:ec2/getVpc:getVpc": _vpc,
    "aws:ec2/getSubnets:getSubnets": _subnets,
}
