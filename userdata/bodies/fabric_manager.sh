# The image brings it. It waits for the module, which the image may load only after this script: so nobody waits for it.
run_fabric_manager() {
    systemctl enable nvidia-fabricmanager.service
    systemctl start --no-block nvidia-fabricmanager.service
}
