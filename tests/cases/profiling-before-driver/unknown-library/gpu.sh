#!/bin/bash
# Sourced by the scripts of each machine; they call what they need.

install_driver() {
  apt-get install -y nvidia-driver-570-server
  modprobe nvidia
}

allow_profiling() {
  echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
}
