#!/bin/sh
# Fault: kubelet ends as soon as it is started: it is told of a socket on which nothing listens
# Rule: kubelet-survives-reboot
# Unknown: containerd-paths, toolkit-reaches-containerd
set -e
sed -i "s|unix://\${CONTAINERD_SOCKET}|unix:///run/k3s/containerd.sock|" /usr/lib/systemd/system/kubelet.service
systemctl daemon-reload
systemctl restart kubelet.service
sleep 0.5
