#!/usr/bin/env bash -x
#
# startup-script of the L4 instance template: driver, Docker, the serving container.

readonly MARKER=/var/lib/startup-done
readonly BUCKET=gs://nvidia-drivers-us-public/tesla
readonly VERSION=550.90.07
readonly IMAGE=europe-west4-docker.pkg.dev/serving-prod/models/vllm:0.6.3

metadata() {
  curl -sf -H 'Metadata-Flavor: Google' "http://metadata.google.internal/computeMetadata/v1/instance/$1"
}

die() {
  echo "startup: $*" >&2
  exit 1
}

profiling_option() {
  local conf=/etc/modprobe.d/nvidia-profiling.conf
  tee "$conf" <<< "options nvidia NVreg_RestrictProfilingToAdminUsers=0" || die "cannot write $conf"
}

install_driver() {
  local run="NVIDIA-Linux-x86_64-${VERSION}.run"
  apt-get update || die "apt-get update"
  apt-get install -y build-essential "linux-headers-$(uname -r)" || die "headers"
  gsutil cp "${BUCKET}/${VERSION}/${run}" "/tmp/${run}" || die "no driver $VERSION"
  bash "/tmp/${run}" --silent --dkms --accept-license || die "driver $VERSION"
  nvidia-smi || die "driver does not answer"
}

install_docker() {
  command -v docker >/dev/null && return
  curl -fsSL https://get.docker.com -o /tmp/get-docker.sh || die "get-docker"
  sh /tmp/get-docker.sh || die "docker"
  apt-get install -y nvidia-container-toolkit || die "toolkit"
  nvidia-ctk runtime configure --runtime=docker || die "runtime"
  systemctl restart docker || die "docker restart"
}

serve() {
  local model
  model=$(metadata attributes/model) || die "no model in metadata"
  gcloud auth configure-docker europe-west4-docker.pkg.dev --quiet
  docker pull "$IMAGE" || die "pull"
  docker run -d --name vllm --restart always --gpus all -p 8000:8000 "$IMAGE" --model "$model" \
    || die "run"
}

main() {
  if [[ -e $MARKER ]]; then
    docker start vllm
    return
  fi
  profiling_option
  install_driver
  install_docker
  serve
  date > "$MARKER"
}

main "$@"
