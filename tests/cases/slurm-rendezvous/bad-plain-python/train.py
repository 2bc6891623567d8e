import os

import torch.distributed as dist

dist.init_process_group("nccl", init_method="env://")
device = int(os.environ["LOCAL_RANK"])
