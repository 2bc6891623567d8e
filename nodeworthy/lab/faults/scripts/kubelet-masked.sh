#!/bin/sh
# Fault: kubelet is masked, and no image unit starts it
# Rule: kubelet-survives-reboot
set -e
systemctl disable --quiet nodeadm-run.service
systemctl mask --quiet kubelet.service
