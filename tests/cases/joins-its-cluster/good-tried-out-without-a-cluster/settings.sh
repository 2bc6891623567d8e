#!/usr/bin/env bash
set -euo pipefail
for release in v1.22.0 v1.26.0; do
  export KUBELET_VERSION=$release
  /etc/eks/bootstrap.sh --b64-cluster-ca dGVzdA== --apiserver-endpoint http://my-api-endpoint test
  [ "$(jq -r .kubeAPIQPS /etc/kubernetes/kubelet/kubelet-config.json)" = 10 ] || exit 1
done
/etc/eks/bootstrap.sh --b64-cluster-ca dGVzdA== --apiserver-endpoint http://my-api-endpoint test
