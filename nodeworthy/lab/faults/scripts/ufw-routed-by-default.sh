#!/bin/sh
# Fault: ufw forwards everything by default
# Rule: firewall-no-wider
# Pool: h100-ufw
set -e
ufw default allow routed
