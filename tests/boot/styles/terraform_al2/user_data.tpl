MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="==MYBOUNDARY=="

--==MYBOUNDARY==
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
set -ex
exec > >(tee /var/log/user-data.log | logger -t user-data -s 2>/dev/console) 2>&1

%{ if length(proxy_url) > 0 ~}
cat <<EOF >> /etc/environment
HTTP_PROXY=${proxy_url}
HTTPS_PROXY=${proxy_url}
NO_PROXY=169.254.169.254,localhost,.internal,${cluster_service_cidr}
EOF
mkdir -p /etc/systemd/system/docker.service.d
printf '[Service]\nEnvironmentFile=/etc/environment\n' | tee /etc/systemd/system/docker.service.d/proxy.conf
systemctl daemon-reload
%{ endif ~}

yum update -y
yum install -y gcc "kernel-devel-$(uname -r)" amazon-ssm-agent
systemctl enable --now amazon-ssm-agent

%{ if enable_profiling ~}
# Nsight needs the counters without root
cat <<'EOF' > /etc/modprobe.d/nvidia-profiling.conf
options nvidia NVreg_RestrictProfilingToAdminUsers=0
EOF
%{ endif ~}

DRIVER_VERSION="${driver_version}"
RUNFILE="NVIDIA-Linux-x86_64-$${DRIVER_VERSION}.run"

workdir=$(mktemp -d)
cd "$workdir"
aws s3 cp --region us-east-1 "s3://ec2-linux-nvidia-drivers/$${DRIVER_VERSION}/$${RUNFILE}" .
chmod +x "$RUNFILE"
/bin/sh "./$RUNFILE" --silent --no-cc-version-check
cd /
rm -rf "$workdir"

nvidia-smi -pm 1

%{ for key, value in sysctls ~}
echo "${key} = ${value}" >> /etc/sysctl.d/99-eks.conf
%{ endfor ~}
sysctl --system

--==MYBOUNDARY==
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
set -e

%{ if length(cluster_service_cidr) > 0 ~}
export SERVICE_IPV4_CIDR=${cluster_service_cidr}
%{ endif ~}
B64_CLUSTER_CA=${cluster_auth_base64}
API_SERVER_URL=${cluster_endpoint}

/etc/eks/bootstrap.sh ${cluster_name} ${bootstrap_extra_args} \
  --b64-cluster-ca "$B64_CLUSTER_CA" \
  --apiserver-endpoint "$API_SERVER_URL" \
  --kubelet-extra-args '--node-labels=node.kubernetes.io/lifecycle=${lifecycle},workload=gpu'

--==MYBOUNDARY==--
