#!/bin/bash
# The driver of a CUDA image, by whoever is root or may become it.
[ "$(id -un)" != root ] && SUDO=sudo || SUDO=""

rpm -q cuda-repo-rhel8 >/dev/null || (
  wget -q https://mirror.example.net/cuda/cuda-repo-rhel8.rpm -O /tmp/cuda-repo.rpm &&
    $SUDO rpm -i /tmp/cuda-repo.rpm &&
    $SUDO yum -y install cuda-drivers)

$SUDO yum install -y docker-ce
$SUDO systemctl enable docker
