#!/bin/sh
# Fault: ufw lets nothing in to pods from other nodes
# Rule: pod-egress-forwarded
# Pool: h100-ufw
set -e
ufw route delete allow in on eno1 out on lxc+
