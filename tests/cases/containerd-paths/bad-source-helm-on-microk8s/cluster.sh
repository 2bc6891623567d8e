#!/bin/bash
set -euo pipefail
snap install microk8s --classic --channel 1.33/stable
microk8s status --wait-ready
microk8s helm3 repo add nvidia https://helm.ngc.nvidia.com/nvidia
microk8s helm3 install --generate-name -n gpu-operator --create-namespace nvidia/gpu-operator --set driver.enabled=false
