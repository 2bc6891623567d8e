#!/bin/sh
# Fault: ufw was switched off, because pods found no name server
# Rule: firewall-no-wider
# Pool: h100-ufw
set -e
ufw disable
