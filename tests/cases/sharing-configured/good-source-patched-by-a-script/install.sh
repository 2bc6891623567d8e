#!/bin/bash
kubectl create -n gpu-operator -f time-slicing.yaml
kubectl patch clusterpolicy cluster-policy -n gpu-operator --type=merge \
  --patch "{\"spec\": {\"devicePlugin\": {\"config\": {\"name\": \"time-slicing-config\", \"default\": \"any\"}}}}"
kubectl patch clusterpolicy cluster-policy --type json -p '[{"op": "remove", "path": "/spec/devicePlugin/config"}]'
kubectl patch clusterpolicy cluster-policy --type merge -p "{\"spec\": {\"devicePlugin\": {\"config\": {\"name\": \"$MAP\"}}}}"
