#!/bin/bash
/vagrant/join-cluster.sh
echo "KUBELET_EXTRA_ARGS=--node-ip=10.0.0.11" > /etc/default/kubelet
systemctl daemon-reload
systemctl restart kubelet
