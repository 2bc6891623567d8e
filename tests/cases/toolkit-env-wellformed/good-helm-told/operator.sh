#!/bin/bash
helm install gpu-operator nvidia/gpu-operator -n gpu-operator \
  --set toolkit.env[0].name=CONTAINERD_SOCKET --set toolkit.env[0].value=/run/k3s/containerd/containerd.sock \
  --set toolkit.env[1].name=CONTAINERD_SET_AS_DEFAULT --set-string toolkit.env[1].value=true
