"""moto's AWS, listening on this machine only, with the policies that AWS itself brings."""

from __future__ import annotations

import logging
import os
from types import TracebackType
from typing import Any, Self

from .stand_ins.aws_calls import Aws
from .stand_ins.moto_versions import mend_versions


class MotoServer:
    """Listening as long as the `with` lasts; `aws` is its account, empty at the start: moto has one for the whole
    process, whichever server is asked."""

    def __init__(self, region: str) -> None:
        # Read when moto is imported: else nobody can attach a policy of Amazon's.
        os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "true"
        from moto.server import ThreadedMotoServer

        mend_versions()
        logging.getLogger("werkzeug").setLevel(logging.ERROR)  # else it prints every call
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._region = region

    def __enter__(self) -> Self:
        self._server.start()
        host, port = self._server.get_host_and_port()
        self.aws = Aws(f"http://{host}:{port}", self._region)
        _forget_everything()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()


def _forget_everything() -> None:
    """moto's own way makes everything anew before it drops it: seconds, for images and policies of regions that nobody
    asks for next."""
    from moto.core.base_backend import BackendDict, backend_lock
    from moto.core.model_instances import reset_model_data

    used: list[dict[str, Any]] = vars(BackendDict)["_instances"]
    with backend_lock:
        for service in used:
            service.clear()
        used.clear()
    reset_model_data()
