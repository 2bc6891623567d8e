# The image's own way into the cluster; it starts containerd and kubelet.
join() {
    /etc/eks/bootstrap.sh "$CLUSTER" \
        --apiserver-endpoint "$ENDPOINT" \
        --b64-cluster-ca "$CERTIFICATE_AUTHORITY" \
        --dns-cluster-ip "$DNS" \
        --kubelet-extra-args "$KUBELET_ARGUMENTS"
}
