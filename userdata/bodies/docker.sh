# Docker is on few images. Where it is, it keeps what else stands in its config, and reads it without a restart.
trust_in_docker() {
    local host=$1 config=/etc/docker/daemon.json
    if ! command -v docker; then
        echo "no Docker here"
        return 0
    fi
    mkdir -p /etc/docker
    [ -s "$config" ] || echo '{}' > "$config"
    jq --arg host "$host" '."insecure-registries" |= (. // [] | . + [$host] | unique)' "$config" > "$config.new"
    if cmp -s "$config" "$config.new"; then
        rm "$config.new"
        return 0
    fi
    mv "$config.new" "$config"
    if systemctl is-active --quiet docker.service; then
        systemctl reload docker.service
    fi
}
