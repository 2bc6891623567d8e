# What the scripts of a node share.
announce() { printf '== %s\n' "$*"; }
