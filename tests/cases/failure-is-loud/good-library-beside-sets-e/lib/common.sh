# What the scripts of a node share.
set -euo pipefail

announce() { printf '== %s\n' "$*"; }
