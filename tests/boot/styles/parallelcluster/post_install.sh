#!/bin/bash
# OnNodeConfigured: s3://hpc-bootstrap/post_install.sh
# Arguments: 1 = lustre DNS name, 2 = mount name, 3 = spack version
set -eu

source /etc/parallelcluster/cfnconfig

LUSTRE_DNS=${1:-fs-0a1b2c3d4e5f67890.fsx.us-east-1.amazonaws.com}
LUSTRE_NAME=${2:-fsx}
SPACK_VERSION=${3:-v0.21.0}
LOG=/var/log/post_install.log

function log {
    local level=$1; shift
    printf '%s %-5s %s\n' "$(date '+%F %T')" "$level" "$*" >> "$LOG"
}

function install_packages {
    case $(. /etc/os-release; echo "$ID") in
        amzn)
            amazon-linux-extras install -y lustre
            yum -y -q install jq hwloc numactl
            ;;
        ubuntu)
            export DEBIAN_FRONTEND=noninteractive
            apt-get -qq update
            apt-get -y -qq install jq hwloc numactl lustre-client-modules-aws
            ;;
        *)
            log ERROR "unsupported distribution"
            exit 1
            ;;
    esac
}

function mount_lustre {
    mkdir -p /fsx
    if ! grep -qs ' /fsx lustre ' /etc/fstab; then
        echo "${LUSTRE_DNS}@tcp:/${LUSTRE_NAME} /fsx lustre defaults,noatime,flock 0 0" >> /etc/fstab
    fi
    mount -a -t lustre
    chmod 1777 /fsx
}

function install_spack {
    [ -d /fsx/spack ] && return 0
    git clone -c feature.manyFiles=true --depth 1 -b "$SPACK_VERSION" https://github.com/spack/spack /fsx/spack
    cat > /etc/profile.d/spack.sh <<'EOF'
export SPACK_ROOT=/fsx/spack
. $SPACK_ROOT/share/spack/setup-env.sh
EOF
}

function limits {
    cat <<EOF | tee /etc/security/limits.d/99-hpc.conf > /dev/null
* soft memlock unlimited
* hard memlock unlimited
* soft stack unlimited
* hard stack unlimited
EOF
}

case "${cfn_node_type}" in
    HeadNode | MasterServer)
        log INFO "head node"
        install_packages
        mount_lustre
        install_spack
        ;;
    ComputeFleet)
        log INFO "compute node"
        install_packages
        mount_lustre
        limits
        systemctl restart slurmd || log WARN "slurmd is not there yet"
        ;;
    LoginNode)
        ;;
esac

log INFO done
exit 0
