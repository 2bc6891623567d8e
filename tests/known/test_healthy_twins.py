"""What the same programs print where the fault is gone says nothing: the healthy twins of incidents, line by line."""

from __future__ import annotations

import pytest

from nodeworthy.known.evidence import in_text, search
from nodeworthy.known.evidence.harmless import Harmless, harmless

TWINS = {
    "taint tolerated": "Successfully assigned gpu-operator/nfd-worker-x2x4k to gpu-1",
    "plugin there": "I0901 10:00:02 main.go:356] Retrieving plugins. Registered device plugin for 'nvidia.com/gpu' with Kubelet",
    "NodePool has room": '{"level":"INFO","message":"registered nodeclaim","NodeClaim":{"name":"gpu-7xk2p"},"provider-id":"aws:///a/i-0"}',
    "startup taint gone": '{"level":"INFO","message":"initialized nodeclaim","allocatable":{"cpu":"190","nvidia.com/gpu":"8"}}',
    "plugin's configuration": 'I0901 10:00:02 main.go:235] Loading configuration from file "/config/config.yaml".',
    "MPS": "I0901 10:00:03 daemon.go:97] Starting MPS daemon resource=nvidia.com/gpu.shared",
    "MIG set": "MIG configuration applied successfully: all-1g.10gb, 7 devices each",
    "DRA prepared": "Returning newly prepared devices for claim 'ml/claim-0': [{[gpu-0] node-1 k8s.gpu.nvidia.com/claim=1}]",
    "CDI": "Injecting devices from CDI: nvidia.com/gpu=GPU-5d01a3b4",
    "Secure Boot signed": "nvidia: module verification passed, signed by Canonical Ltd. Secure Boot Signing",
    "nouveau": "install nouveau /bin/false",
    "module": "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.126.09  Release Build",
    "headers": "linux-headers-6.8.0-79-generic is already the newest version (6.8.0-79.79).",
    "driver installed": "Installation of the NVIDIA driver (580.126.09) for Linux kernel 6.8.0-79-generic is now complete.",
    "nvidia-smi": "| NVIDIA-SMI 580.126.09    Driver Version: 580.126.09    CUDA Version: 13.0 |",
    "CUDA found": "CUDA initialized: 8 devices, driver 13.0, runtime 12.8",
    "fabric manager": "Successfully configured all the available NVSwitches to route GPU NVLink traffic.",
    "fabric state": "Fabric : State : Completed, Status : Success, CliqueId : 1",
    "NVLink": "GPU 0: Link 0: 26.562 GB/s",
    "health": "health: all 8 GPUs are Healthy, Xid errors: none",
    "toolkit": 'time="2026-09-01T10:00:04Z" level=info msg="Successfully signaled containerd"',
    "containerd": 'time="2026-09-01T10:00:05Z" level=info msg="containerd successfully booted in 0.031s"',
    "runtime class": "runtimeclass.node.k8s.io/nvidia created (handler: nvidia)",
    "nodeadm": '{"level":"info","caller":"init/init.go:120","msg":"Finished node initialization"}',
    "kubelet's devices": 'I0901 10:00:06 manager.go:229] "Got registration request from device plugin" resourceName="nvidia.com/gpu"',
    "container started": "Started container train",
    "webhook": "admission webhook served: pod ml/train-0 mutated",
    "DCGM": 'time="2026-09-01T10:00:07Z" level=info msg="DCGM successfully initialized!"',
    "peer memory": "nvidia_peermem            16384  0",
    "EFA": "NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)",
    "Slurm's GPUs": "slurmd: gpu/nvml: _get_system_gpu_list_nvml: 8 GPU system device(s) detected",
    "Slurm's configuration": "slurmd: debug: Log file re-opened; slurmd version 24.11.5 started",
    "licence": "nvidia-gridd[1710]: License acquired successfully. (Info: lic.example.org, NVIDIA Virtual Compute Server)",
    "validator": "all validations are successful",
    "shared memory": "shm             64G     0   64G   0% /dev/shm",
    "ranks": "[rank0] init_process_group done: backend=nccl world_size=16",
    "all reduce": "# Avg bus bandwidth    : 412.37",
    "DKMS": "nvidia/580.126.09, 6.8.0-79-generic, x86_64: installed",
    "Kueue": "Quota reserved in ClusterQueue team-a, wait time since queued was 3s; Flavors considered: main: h100(Fit)",
    "Volcano": "Successfully allocated GPU-5d01a3b4 for pod ml/train-0",
    # What programs print on their way, of things that are as they should be.
    "cards without peer access": "gpu-1:84:97 [0] NCCL INFO Could not enable P2P between dev 1(=1b000) and dev 0(=1a000)",
    "a queue pair at the second try": "NCCL INFO Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0:1, retrying 1/10",
    "cards that were left out of account": "NCCL INFO Detected mixed local Net device counts across ranks (min 4, max 8). "
    "Ignoring due to NCCL_IGNORE_NET_MISMATCH.",
    "EFA without RDMA": "NCCL INFO NET/OFI No eligible providers were found",
    "a symbol of newer rdma-core": "NCCL INFO dlvsym failed on mlx5dv_get_data_direct_sysfs_path - /lib/x86_64-linux-gnu/libmlx5.so: "
    "undefined symbol: mlx5dv_get_data_direct_sysfs_path, version MLX5_1.25",
    "a card of KubeVirt's that is no vGPU": "MDEV_PCI_RESOURCE_NVIDIA_COM_TU104GL_TESLA_T4 not set for resource nvidia.com/TU104GL_Tesla_T4",
    "a kernel that is unpacked another way": "extract-vmlinux: Cannot find vmlinux.",
    "no MIG where none is asked for": 'level=debug msg="    Skipping -- non MIG-capable GPU with MIG mode disabled"',
    "GRES without a plugin of its own": "slurmd: debug:  gres: Couldn't find the specified plugin name for gres/tmpfs looking at all files",
    "enroot's import": "pyxis: importing docker image: nvcr.io#nvidia/pytorch:25.06-py3",
    "a client that MPS lets wait": "[2026-09-01 10:00:00.000 Control 44] NEW CLIENT 0 from user 0: Server is not ready, push client to pending list",
    "a plain PC": "I0423 06:04:56.480999 39 factory.go:104] Detected non-Tegra platform: /sys/devices/soc0/family file not found",
    "NCCL without a plugin": "gpu-1:84:84 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
    "a host without IPv6": "[W socket.cpp:752] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 97 - Address family "
    "not supported by protocol).",
    "EFA's first question": "libfabric:85:1747438790::core:core:fi_getinfo_():1392<warn> fi_getinfo: provider efa output empty list",
    "a change of MIG mode on its way": 'level=debug msg="    Mode change pending: true"',
    "older kernels without a module": "NVIDIA driver: filtering kernel 4.18.0-80.el8, no precompiled modules available for version 3:550.54.15",
    "a port without a cable": "mlx5_core 0000:b1:00.1: Port module event: module 1, Cable unplugged",
    "a floppy of a virtual machine": "blk_update_request: I/O error, dev fd0, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0",
    "a socket that was closed first": "OSError: [Errno 107] Transport endpoint is not connected",
    "a program's own fault": "traps: python3[4711] general protection fault ip:7f12 sp:7ffd error:0 in libc.so.6",
    "a warning of the kernel's": "WARNING: CPU: 3 PID: 100 at /var/lib/dkms/nvidia/550/build/nvidia/nv.c:4500 nv_drm_init+0x1/0x2 [nvidia]",
    "Ray": "2026-09-01 10:00:00,000 SUCC scripts.py:917 -- Ray runtime started.",
    "a worker of Ray's that was let go": "Worker exit type: INTENDED_SYSTEM_EXIT Worker exit detail: Worker exits because it was idle",
    "JAX": "jax.devices(): [CudaDevice(id=0), CudaDevice(id=1)]",
    "TensorFlow without TensorRT": "TF-TRT Warning: Could not find TensorRT",
    "TensorFlow's factories": "Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
    "Ollama": 'level=INFO source=types.go:131 msg="inference compute" id=GPU-5d01a3b4 library=cuda compute=9.0 driver=12.8',
    "CUDA graphs": "Capturing CUDA graph shapes: 100%|##########| 35/35 [00:21<00:00,  1.64it/s]",
    "an unsigned module where none is checked": "nvidia: module verification failed: signature and/or required key missing - tainting kernel",
    "a module that is put away": "nvidia-nvlink: Unregistered Nvlink Core, major device number 239",
    "a card's memory window": "pci 0000:3b:00.0: BAR 1 [mem 0x2000000000-0x3fffffffff 64bit pref]: assigned",
    "a queue pair": "mlx5_0: QP 0x1234 modified from INIT to RTR",
    "Slurm's prolog": "slurmd: debug: [job 4711] prolog succeeded rc:0",
    "Open MPI": "mpirun: Forwarding signal 18 to job",
    "an engine of TensorRT's": "[TRT] [I] Loaded engine size: 13 MiB",
    "ONNX Runtime": "Applied providers: ['CUDAExecutionProvider', 'CPUExecutionProvider'], with options: {}",
    "a container that was not killed": '"State": {"Status": "exited", "OOMKilled": false, "Dead": false, "ExitCode": 0}',
    "a pod that ended well": "State: Terminated  Reason: Completed  Exit Code: 0  Restart Count: 137",
    "a service that ended": "systemd[1]: kubelet.service: Main process exited, code=exited, status=0/SUCCESS",
    "packages that are there": "nvidia-driver-550 is already the newest version (550.54.15-0ubuntu1). 0 upgraded, 0 newly installed.",
    "a package's scripts": "Setting up nvidia-dkms-550 (550.54.15-0ubuntu1) ... Processing triggers for man-db",
    "libraries that are found": "\tlibcuda.so.1 => /usr/lib/x86_64-linux-gnu/libcuda.so.1 (0x00007f2a)",
    "a program that is there": "/usr/bin/nvidia-smi: ELF 64-bit LSB pie executable, x86-64",
    "a page of Terraform's": "│ data.aws_ami.gpu: Read complete after 1s [id=ami-0123456789abcdef0]",
    "CUDA's answers": "cuInit returned 0; cudaGetDeviceCount returned 0, 8 devices; CUDA error code: 0",
    "coloured": "[32mINFO[0m container runtime is containerd://1.7.24",
    "TensorRT that nobody asked for": "W tensorflow/compiler/xla/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
    "'libnvinfer.so.7'; dlerror: libnvinfer.so.7 is not there",
    "a host without Grace": "Not collecting CPU metrics; error retrieving DCGM CPU hierarchy: This request is serviced by a module of DCGM that is "
    "not currently loaded",
}


@pytest.mark.parametrize("line", TWINS.values(), ids=TWINS)
def test_nothing_is_said_of_a_healthy_line(line: str) -> None:
    assert [each.evidence.id for each in in_text(line)] == []


@pytest.mark.parametrize("each", harmless(), ids=lambda each: each.text)
def test_a_harmless_line_says_nothing_and_hides_no_other(each: Harmless) -> None:
    assert in_text(each.line) == []
    faulty = [found.evidence.id for found in in_text(each.faulty)]
    assert faulty
    assert [found.evidence.id for found in in_text(f"{each.line}\n{each.faulty}\n{each.line}")] == faulty


@pytest.mark.parametrize("each", harmless(), ids=lambda each: each.text)
def test_by_its_other_words_a_harmless_line_would_be_evidence(each: Harmless, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "without_harmless", lambda text, _small: text)
    assert in_text(each.line)
