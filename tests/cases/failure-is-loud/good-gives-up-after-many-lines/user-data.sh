#!/usr/bin/env bash
set -euo pipefail

with_retries() {
  local most=20
  local attempt=1

  while [[ $attempt -le $most ]]; do
    echo "attempt $attempt of $most"
    if "$@"; then
      echo "joined at attempt $attempt"
      return 0
    fi

    if [[ $attempt -lt $most ]]; then
      echo "not joined: once more in 15 seconds"
      sleep 15
    fi
    attempt=$((attempt + 1))
  done

  echo "not joined after $most attempts" >&2
  return 1
}

case "$(. /etc/os-release && echo "$ID")" in
  amzn)
    with_retries nodeadm init
    ;;
  *)
    echo "no system of ours" >&2
    exit 1
    ;;
esac

systemctl enable kubelet
