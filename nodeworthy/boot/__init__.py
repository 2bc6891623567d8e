"""Reads user data for what it does: unpacked, parsed, and walked into a timeline of effects.

`userdata` unpacks (gzip, base64, MIME, cloud-config, NodeConfig, TOML), `shell` parses and walks scripts, `commands`
knows what programs do, `timeline` is what rules ask.
"""
