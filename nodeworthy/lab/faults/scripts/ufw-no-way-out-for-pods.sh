#!/bin/sh
# Fault: ufw lets nothing of pods out: no pod finds a name server
# Rule: pod-egress-forwarded
# Pool: h100-ufw
set -e
ufw route delete allow in on lxc+ out on eno1
