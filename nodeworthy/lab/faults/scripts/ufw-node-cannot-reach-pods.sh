#!/bin/sh
# Fault: ufw denies what goes out, and does not let the node reach pods and services
# Rule: pod-egress-forwarded
# Pool: h100-ufw
set -e
ufw delete allow out to 10.0.0.0/8
