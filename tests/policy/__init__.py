"""The policy pack, on the real `pulumi.policy` server and without a CLI."""
