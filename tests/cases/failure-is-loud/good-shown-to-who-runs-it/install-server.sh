#!/bin/bash
curl -sfL https://get.k3s.io | sh -s - server --cluster-init
sudo systemctl status k3s --no-pager
echo "copy /etc/rancher/k3s/k3s.yaml to your own machine"
