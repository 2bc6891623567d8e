#!/bin/sh
# Fault: kubelet has been stopped
# Rule: kubelet-survives-reboot
# Unknown: containerd-paths, toolkit-reaches-containerd
set -e
systemctl stop kubelet.service
