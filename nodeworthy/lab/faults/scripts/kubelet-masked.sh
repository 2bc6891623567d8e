#!/bin/sh
# Fault: kubelet is masked: not even nodeadm-run, which is enabled, will start it
# Rule: kubelet-survives-reboot
set -e
systemctl mask --quiet kubelet.service
