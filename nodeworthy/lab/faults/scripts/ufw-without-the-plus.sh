#!/bin/sh
# Fault: the rules name the interface lxc, and not lxc+: there is no such interface
# Rule: pod-egress-forwarded
# Pool: h100-ufw
set -e
ufw route delete allow in on lxc+ out on eno1
ufw route allow in on lxc out on eno1
