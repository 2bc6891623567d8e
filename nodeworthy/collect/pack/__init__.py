"""The catalogue as a Pulumi policy pack, for the real `pulumi` CLI.

`server.py` starts it, `analyzer.py` speaks the protocol, `stack.py` reads the fleet from the stack's config as the
CLI hands it over, `enforcement.py` is what the pack's own config says, `judge.py` judges resources as a preview does.

The server is ours and not the SDK's, because the SDK's drops what honesty needs: which values are secret, the
stack's config, and a level for an unknown that is not the level of a failure.
"""
