"""What a Vagrantfile runs on its machines: shell, and on those of Windows what is none."""

from __future__ import annotations

from pathlib import Path

from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.vagrantfiles import contents

OF_WINDOWS = """Vagrant.configure("2") do |config|
  config.vm.box = "jborean93/WindowsServer2019"
  config.vm.define "worker" do |worker|
    worker.vm.provision "shell", inline: <<~SHELL
      Write-Host "Installing kubelet and kubeadm"
      if(Get-Service kubelet -ErrorAction Ignore) {
        exit 0
      }
    SHELL
  end
end
"""
OF_LINUX = """Vagrant.configure("2") do |config|
  config.vm.box = "ubuntu/jammy64"
  config.vm.provision "shell", inline: <<~SHELL
    apt-get install -y kubelet kubeadm
    kubeadm init
  SHELL
end
"""


def scripts_of(text: str) -> int:
    found = contents(Source(Path("Vagrantfile"), "Vagrantfile", named=True), text.encode(), frozenset())
    return len(found.scripts) if found is not None else 0


def test_powershell_is_no_shell() -> None:
    assert scripts_of(OF_WINDOWS) == 0
    assert scripts_of(OF_LINUX) == 1
