# A boot waits a minute for the storage and then goes on without it; fstab tries again at the next one.
mount_storage() {
    local options=nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport,_netdev,nofail
    local entry="$STORAGE_SOURCE $STORAGE_MOUNT nfs4 $options 0 0"
    mkdir -p "$STORAGE_MOUNT"
    grep -qxF "$entry" /etc/fstab || echo "$entry" >> /etc/fstab
    systemctl daemon-reload
    if mountpoint -q "$STORAGE_MOUNT"; then
        return 0
    fi
    timeout 60 mount "$STORAGE_MOUNT" || echo "WARNING: $STORAGE_SOURCE is not mounted"
}
