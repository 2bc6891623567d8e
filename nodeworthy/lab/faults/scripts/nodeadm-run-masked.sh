#!/bin/sh
# Fault: nodeadm-run, which starts kubelet at every boot, is masked: its link from the target that wants it stays
# Rule: kubelet-survives-reboot
set -e
systemctl mask --quiet nodeadm-run.service
