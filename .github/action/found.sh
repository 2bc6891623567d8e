#!/usr/bin/env bash
# Says which reports there are for code scanning.
set -euo pipefail

for name in preview check; do
    if [ -f "$KEPT/$name.sarif" ] && [ ! -L "$KEPT/$name.sarif" ]; then
        echo "$name=true" >>"$GITHUB_OUTPUT"
    fi
done
