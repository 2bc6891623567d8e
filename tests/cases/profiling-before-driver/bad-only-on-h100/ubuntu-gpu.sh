#!/usr/bin/env bash
# Ubuntu 22.04 GPU worker: driver, toolkit, profiling
set -o errexit -o nounset -o pipefail
export DEBIAN_FRONTEND=noninteractive

log() { echo "$(date --iso-8601=seconds) $*" | tee -a /var/log/bootstrap.log; }

imds() {
  local token
  token=$(curl -fsS -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 300' http://169.254.169.254/latest/api/token)
  curl -fsS -H "X-aws-ec2-metadata-token: ${token}" "http://169.254.169.254/latest/meta-data/$1"
}

INSTANCE_TYPE=$(imds instance-type)

configure_profiling() {
  cat > /etc/modprobe.d/nvidia-profiling.conf <<'CONF'
# Nsight Compute without root
options nvidia NVreg_RestrictProfilingToAdminUsers=0
CONF
}

install_driver() {
  apt-get update
  apt-get install -y --no-install-recommends "linux-headers-$(uname -r)" nvidia-driver-570-server nvidia-utils-570-server
}

case "${INSTANCE_TYPE}" in
  p5.*|p5e.*|p5en.*)
    log "H100 or H200: profiling is on"
    configure_profiling
    ;;
  p6-b200.*)
    log "B200: profiling is on"
    configure_profiling
    ;;
  g4dn.*)
    log "T4: interactive nodes"
    ;;
esac

install_driver
nvidia-smi --query-gpu=name,driver_version --format=csv
log "driver is ready"
