#!/usr/bin/env bash
set -Eeuo pipefail

trap 'rc=$?; echo "FAILED line $LINENO: $BASH_COMMAND (rc=$rc)" >&2; exit $rc' ERR

export DEBIAN_FRONTEND=noninteractive
readonly CLUSTER=ml-train
readonly ENDPOINT=https://A1B2C3D4E5F60718293A4B5C6D7E8F90.sk1.eu-west-1.eks.amazonaws.com
readonly CA=LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJmakNDQVNXZ0F3SUJBZ0lVRmNHSkZJNnFvNzFvckNFZUNsTWgxZ2ZSN1drd0NnWUlLb1pJemowRUF3SXcKRlRFVE1CRUdBMVVFQXd3S2EzVmlaWEp1WlhSbGN6QWVGdzB5TmpFeE1qRXlNRE0xTXpoYUZ3MHpOakV4TVRneQpNRE0xTXpoYU1CVXhFekFSQmdOVkJBTU1DbXQxWW1WeWJtVjBaWE13V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPClBRTUJCd05DQUFRTEtrUXJrN3Awa3NJYVc1ZHFEK1Z3RlZqYnh3Ulg0SGRiUkJuRHpuRDM3RFlxV1M3QTBtSlIKZ2Fxd0dRQnkzazFtVG9Qa3V5WWtDYmxCWWcrZzVTU1pvMU13VVRBZEJnTlZIUTRFRmdRVVJGeHJHbEoyMURregplN3lLYmlrZWhENDJCcTB3SHdZRFZSMGpCQmd3Rm9BVVJGeHJHbEoyMURremU3eUtiaWtlaEQ0MkJxMHdEd1lEClZSMFRBUUgvQkFVd0F3RUIvekFLQmdncWhrak9QUVFEQWdOSEFEQkVBaUJGZVRDRjRWOE02L0FnbU5tVFpJaTIKd2NQR3NGdWJtNjdlcGgyL3pVc2Fhd0lnY2VSd1hUU1R4bnFTQmtBTjJ3QU9JcmI5T2kzbm9iZmNXZ3V2OHpHOQpSSnc9Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K
readonly DRIVER=550

retry() {
  local n=0 max=$1
  shift
  until "$@"; do
    n=$((n + 1))
    if [ "$n" -ge "$max" ]; then
      echo "gave up after $n tries: $*" >&2
      return 1
    fi
    sleep $((n * 5))
  done
}

wait_for_apt() {
  while fuser /var/lib/dpkg/lock-frontend >/dev/null 2>&1; do
    sleep 2
  done
}

# 1. module options come first: the package loads the module
install -D -m 0644 /dev/stdin /etc/modprobe.d/nvidia-prof.conf <<< 'options nvidia NVreg_RestrictProfilingToAdminUsers=0'

# 2. the driver
wait_for_apt
retry 5 apt-get update
retry 5 apt-get install -y --no-install-recommends \
  "linux-headers-$(uname -r)" \
  "nvidia-driver-${DRIVER}-server" \
  "nvidia-utils-${DRIVER}-server"
modprobe nvidia
nvidia-smi -L

# 3. the container toolkit
curl -fsSL https://nvidia.github.io/libnvidia-container/gpgkey \
  | gpg --dearmor -o /usr/share/keyrings/nvidia-container-toolkit-keyring.gpg
curl -fsSL https://nvidia.github.io/libnvidia-container/stable/deb/nvidia-container-toolkit.list \
  | sed 's#deb https://#deb [signed-by=/usr/share/keyrings/nvidia-container-toolkit-keyring.gpg] https://#g' \
  | tee /etc/apt/sources.list.d/nvidia-container-toolkit.list
retry 5 apt-get update
retry 5 apt-get install -y nvidia-container-toolkit
nvidia-ctk runtime configure --runtime=containerd --set-as-default
systemctl restart containerd

# 4. keep the kernel as it is
apt-mark hold "linux-image-$(uname -r)" linux-image-aws
systemctl disable --now unattended-upgrades.service

# 5. join
/etc/eks/bootstrap.sh "$CLUSTER" \
  --apiserver-endpoint "$ENDPOINT" \
  --b64-cluster-ca "$CA" \
  --container-runtime containerd \
  --kubelet-extra-args "--node-labels=gpu=a10g,team=train --max-pods=58"
snap set kubelet-eks image-gc-high-threshold=80
snap restart kubelet-eks
