#!/bin/bash
set -euo pipefail
# LABELS="${LABELS:-{}}" would end at its first brace
EMPTY='{}'
LABELS="${LABELS:-$EMPTY}"
echo 'LABELS="${LABELS:-{}}"' > /etc/agent/notes
printf '{"labels": %s}\n' "$LABELS" > /etc/agent/settings.json
