#!/bin/bash
set -ex
dnf install -y nvidia-fabric-manager libnvidia-nscq
