# bootstrap.sh makes containerd's config out of the image's own, which may name no folder of registries.
name_certs_d() {
    sed -i "s|config_path = \"\"|config_path = \"$CERTS_D\"|" "$IMAGE_CONTAINERD_CONFIG"
    grep -q config_path "$IMAGE_CONTAINERD_CONFIG" || cat >> "$IMAGE_CONTAINERD_CONFIG" <<EOF

[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "$CERTS_D"
EOF
}

check_certs_d() {
    containerd config dump | grep "config_path = .*$CERTS_D"
}
