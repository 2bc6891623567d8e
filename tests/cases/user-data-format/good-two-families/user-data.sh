#!/bin/bash
# One script for the old and the new nodes: it looks first on which it is.
set -euo pipefail

. /etc/os-release
case "$ID" in
  ubuntu) apt-get update && apt-get install -y nfs-common ;;
  amzn)   command -v dnf >/dev/null && dnf install -y nfs-utils || yum install -y nfs-utils ;;
esac

if [ -x /etc/eks/bootstrap.sh ]; then
  /etc/eks/bootstrap.sh gpu-dev --apiserver-endpoint https://4A5B6C7D8E9F00112233445566778899.gr7.us-east-2.eks.amazonaws.com --b64-cluster-ca LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJmekNDQVNXZ0F3SUJBZ0lVUVF0d2JjcXNmMmNia1UramF2NnprejhMMmcwd0NnWUlLb1pJemowRUF3SXcKRlRFVE1CRUdBMVVFQXd3S2EzVmlaWEp1WlhSbGN6QWVGdzB5TmpFeE1qRXhPVFUxTVRCYUZ3MHpOakV4TVRneApPVFUxTVRCYU1CVXhFekFSQmdOVkJBTU1DbXQxWW1WeWJtVjBaWE13V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPClBRTUJCd05DQUFRbjh2MlRCZlliK2NmcVU2dWJNT3hQVkxmSkNYYSt0N05Nd1BDNnU2SUM2L2R0NTlXY0NPcDQKVTQ5RE12a28rNlloYjEySERMMHoxSkpHdXpJRHBGTUlvMU13VVRBZEJnTlZIUTRFRmdRVVF5SnRKYXA3dU9GdgoxdVNRemJCemJsbnRlQnd3SHdZRFZSMGpCQmd3Rm9BVVF5SnRKYXA3dU9GdjF1U1F6YkJ6YmxudGVCd3dEd1lEClZSMFRBUUgvQkFVd0F3RUIvekFLQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBNlFTTkJkaWZWOWpsak9nWCt5SXEKa2hhSXBlR1oxclJWR0Q4VHpsWjcvSkVDSUg2YXNvUlhmc0ZjVGlpNEtGWHh3Nys4OUVMSmRGcUFQWWlWTnUwMQpCMTY1Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K
fi
