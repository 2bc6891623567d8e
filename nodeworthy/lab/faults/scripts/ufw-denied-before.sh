#!/bin/sh
# Fault: a rule before the others denies what pods send out
# Rule: pod-egress-forwarded
# Pool: h100-ufw
set -e
ufw route prepend deny in on lxc+
