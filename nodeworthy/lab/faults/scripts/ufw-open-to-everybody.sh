#!/bin/sh
# Fault: ufw lets everybody in
# Rule: firewall-no-wider
# Pool: h100-ufw
set -e
ufw allow from any
