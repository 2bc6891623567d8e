#!/bin/sh
# Fault: ufw lets pods not reach the node itself: no kubelet, no resolver on the node
# Rule: pod-egress-forwarded
# Pool: h100-ufw
set -e
ufw delete allow from 10.0.0.0/8
