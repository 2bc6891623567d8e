#!/bin/sh
# Fault: the rules name eth0, and eno1 leads out
# Rule: pod-egress-forwarded
# Pool: h100-ufw
set -e
ufw route delete allow in on lxc+ out on eno1
ufw route delete allow in on eno1 out on lxc+
ufw route allow in on lxc+ out on eth0
ufw route allow in on eth0 out on lxc+
