#!/bin/bash
report() {
  logger -t user-data "failed on line $1"
  /opt/aws/bin/cfn-signal -e 1 --stack gpu-dev --resource Nodes --region us-east-2
}
trap 'report $LINENO' ERR
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
yum install -y cuda-drivers
/etc/eks/bootstrap.sh gpu-dev
touch /var/lib/node-is-ready
