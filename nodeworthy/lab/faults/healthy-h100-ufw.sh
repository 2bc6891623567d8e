#!/bin/bash
# What the boot script of a pool with a firewall has besides. Nothing is wrong with it.
set -euo pipefail
/usr/lib/nodeworthy-lab/network

ufw allow 22/tcp
ufw route allow in on lxc+ out on eno1
ufw route allow in on eno1 out on lxc+
ufw allow from 10.0.0.0/8
ufw default deny outgoing
ufw allow out to 10.0.0.0/8
ufw allow out on eno1 to any port 443 proto tcp
ufw --force enable
