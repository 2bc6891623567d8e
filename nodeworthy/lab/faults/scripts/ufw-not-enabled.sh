#!/bin/sh
# Fault: no unit switches ufw on at the next boot
# Rule: firewall-no-wider
# Pool: h100-ufw
set -e
systemctl disable --quiet ufw.service
