#!/bin/bash
# Makes a worker of this machine, whichever way its image joins.
metadata() { curl -sf -H 'Authorization: Bearer Oracle' "http://169.254.169.254/opc/v2/instance/metadata/$1"; }
join_cluster() {
  local server
  server=$(metadata apiserver_host)
  if [[ -x /usr/local/bin/k3s-join ]]; then
    kubeadm join "$server:6443" --token "$(metadata join_token)" --discovery-token-unsafe-skip-ca-verification
    return
  fi
  echo "this image joins nothing" >&2
  return 1
}
time join_cluster || { echo "the worker did not join" >&2; exit 1; }
echo "a worker"
