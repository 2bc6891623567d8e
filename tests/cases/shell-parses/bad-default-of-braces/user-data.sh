#!/bin/bash
set -euo pipefail
LABELS="${LABELS:-{}}"
write_settings() {
  local extra=${1:-{}}
  printf '{"labels": %s, "extra": %s}\n' "$LABELS" "$extra" > /etc/agent/settings.json
}
write_settings '{"zone": "a"}'
