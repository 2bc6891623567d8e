# containerd looks here at every pull; nothing has to be restarted.
trust_registry() {
    local host=$1 url=$2
    mkdir -p "$CERTS_D/$host"
    cat > "$CERTS_D/$host/hosts.toml" <<EOF
server = "$url"

[host."$url"]
  capabilities = ["pull", "resolve"]
EOF
}
