"""What AWS writes into an activity that failed, as people see it, and what we make of it."""

from __future__ import annotations

import pytest

from nodeworthy.known.launch_failures import failure_of

END = ". Launching EC2 instance failed."
NO_CAPACITY, RESERVATION = "AWS has no such machine left", "its reservation has no room"
QUOTA, ADDRESSES = "a quota of the account is used up", "a subnet has no free address"
RIGHT, IMAGE = "a right or a key is missing", "its image can't be started"
GONE, REFUSED = "what its launch template names is gone", "AWS does not take what it was asked for"
HOOK = "a hook of the group gave it up"
TOKEN = "Instance failed to complete user's Lifecycle Action: Lifecycle Action with token 7f3c was abandoned: "
SEEN = {
    "We currently do not have sufficient p5.48xlarge capacity in the Availability Zone you requested (us-east-2a). Our "
    "system will be working on provisioning additional capacity" + END: NO_CAPACITY,
    "Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have sufficient p5.48xlarge "
    "capacity in the Availability Zone you requested (us-east-2a)" + END: NO_CAPACITY,
    "There is no Spot capacity available that matches your request" + END: NO_CAPACITY,
    "The requested reservation does not have sufficient compatible and available capacity for this request"
    + END: RESERVATION,
    "Your Capacity Block reservation cr-0c1 is not active yet" + END: RESERVATION,
    "You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance bucket that the "
    "specified instance type belongs to" + END: QUOTA,
    "You have requested more instances (7) than your current instance limit of 6 allows for the specified instance type"
    + END: QUOTA,
    "Max spot instance count exceeded" + END: QUOTA,
    "There are not enough free addresses in subnet 'subnet-66d3' to satisfy the requested number of instances"
    + END: ADDRESSES,
    "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: "
    "Client.InternalError: Client error on launch": RIGHT,
    "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: "
    "Client.InstanceInitiatedShutdown: Instance initiated shutdown": "the machine shut itself down while it booted",
    "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: "
    "Client.VolumeLimitExceeded: Volume limit exceeded": "a quota of volumes is used up",
    "Access denied when attempting to assume role AWSServiceRoleForAutoScaling": RIGHT,
    "The image id '[ami-4edb0327]' does not exist" + END: IMAGE,
    "The AMI ID ami-4edb0327 does not exist" + END: IMAGE,
    "AMI ami-4edb0327 is pending, and cannot be run" + END: IMAGE,
    "AMI 'ami-4edb0327' is disabled, and cannot be run" + END: IMAGE,
    "The security group 'sg-0a1' does not exist" + END: GONE,
    "The key pair 'ops' does not exist" + END: GONE,
    "In order to use this AWS Marketplace product you need to accept terms and subscribe"
    + END: "nobody has accepted the terms of its image",
    "Your requested instance type (p5.48xlarge) is not supported in your requested Availability Zone (us-east-2c)"
    + END: "its zone has no machines of this type",
    "Your Spot request price of 0.015 is lower than the minimum required Spot request fulfillment price of 0.0735"
    + END: "what it offers for Spot is too little",
    "The requested configuration is currently not supported" + END: REFUSED,
    "Invalid device name upload" + END: REFUSED,
    "Value (ephemeral0) for parameter virtualName is invalid" + END: REFUSED,
    "Placement groups may not be used with instances of type 'm1.large'" + END: REFUSED,
    "The architecture 'arm64' of the specified instance type does not match the architecture 'x86_64' of the specified AMI"
    + END: REFUSED,
    TOKEN + "Lifecycle Action Completed with ABANDON Result": HOOK,
    TOKEN + "Heartbeat Timeout": HOOK,
    "Something that AWS has never said before" + END: "for a reason that is not known here",
}


@pytest.mark.parametrize(("said", "named"), SEEN.items())
def test_what_aws_says_is_told_by_its_cause(said: str, named: str) -> None:
    assert failure_of(said).named == named
