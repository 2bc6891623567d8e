resource "talos_image_factory_schematic" "cards" {
  schematic = yamlencode({
    customization = {
      systemExtensions = {
        officialExtensions = [
          "siderolabs/nvidia-open-gpu-kernel-modules-lts",
          "siderolabs/nvidia-container-toolkit-lts",
          "siderolabs/nvidia-fabricmanager-production",
        ]
      }
    }
  })
}
