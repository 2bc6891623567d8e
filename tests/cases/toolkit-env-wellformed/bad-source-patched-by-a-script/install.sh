#!/bin/bash
kubectl patch clusterpolicy cluster-policy --type merge -p '
{"spec": {"toolkit": {"env": [
  {"name": "CONTAINERD_SOCKET", "value": "unix:///run/k3s/containerd/containerd.sock"}
]}}}'
