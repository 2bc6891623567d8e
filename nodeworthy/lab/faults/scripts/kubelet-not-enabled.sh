#!/bin/sh
# Fault: neither kubelet nor nodeadm-run is enabled: the next boot has no kubelet
# Rule: kubelet-survives-reboot
set -e
systemctl disable --quiet nodeadm-run.service
