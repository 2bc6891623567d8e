"""What the program is given of our environment: not what belongs to the job that previews it.

A CI system keeps in it the tokens of the job and the files by which steps tell each other what to do. The program is a
stranger's as often as not, and a preview needs no account.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from nodeworthy.patterns import pattern

# GitHub's, Gitea's and Forgejo's; a runner writes them for its own steps.
_PREFIXES = ("GITHUB_", "GITEA_", "FORGEJO_", "ACTIONS_", "RUNNER_", "INPUT_")
# Whose names say a token of a CI system's, or a URL that holds one.
_TOKENS = pattern(
    r"GH_(?:ENTERPRISE_)?TOKEN|CI_(?:JOB_TOKEN|JOB_JWT\w*|REPOSITORY_URL|\w*PASSWORD)|SYSTEM_ACCESSTOKEN|"
    r"(?:BITBUCKET|BUILDKITE|CIRCLE|DRONE|JENKINS|TRAVIS|SEMAPHORE|WOODPECKER)_\w*(?:TOKEN|SECRET|PASSWORD)\w*|"
    r"\w*_ID_TOKEN|ID_TOKEN|NODEWORTHY_TOKEN|GITLAB_TOKEN|"
    # Our process reads encrypted config by itself, and the engine here asks no backend.
    r"PULUMI_ACCESS_TOKEN|PULUMI_CONFIG_PASSPHRASE(?:_FILE)?|"
    # A shell that the program starts would run this file, and so would one that outlives it.
    r"BASH_ENV"
)
# The account's, where the machine is a CI system's: at home they are those of whoever runs their own program.
_ACCOUNTS = pattern(
    r"AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN|WEB_IDENTITY_TOKEN_FILE|ROLE_ARN|"
    r"CONTAINER_\w+)|(?:GOOGLE|CLOUDSDK)_\w*CREDENTIALS?\w*|"
    r"(?:AZURE|ARM)_\w*(?:SECRET|TOKEN|PASSWORD|CERTIFICATE)\w*"
)


def of_program(ours: Mapping[str, str], passed: Collection[str] = ()) -> dict[str, str]:
    """Our variables less those; `passed` are handed over all the same."""
    in_ci = bool(ours.get("CI") or ours.get("GITHUB_ACTIONS") or ours.get("TF_BUILD"))
    return {name: value for name, value in ours.items() if name in passed or not _belongs_to_the_job(name, in_ci)}


def _belongs_to_the_job(name: str, in_ci: bool) -> bool:
    if name.startswith(_PREFIXES) or _TOKENS.fullmatch(name):
        return True
    return in_ci and _ACCOUNTS.fullmatch(name) is not None
