#!/bin/bash
kubectl create -n gpu-operator -f time-slicing.yaml
kubectl patch clusterpolicies.nvidia.com/cluster-policy \
  -n gpu-operator --type merge \
  -p '{"spec": {"devicePlugin": {"config": {"name": "time-slicing-config", "default": "all"}}}}'
