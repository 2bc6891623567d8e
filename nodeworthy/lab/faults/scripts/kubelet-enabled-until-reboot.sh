#!/bin/sh
# Fault: kubelet is enabled in /run only, which the next boot forgets
# Rule: kubelet-survives-reboot
set -e
systemctl disable --quiet nodeadm-run.service
systemctl enable --runtime --quiet kubelet.service
