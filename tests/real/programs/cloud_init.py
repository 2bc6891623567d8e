"""Run by the system's own Python: what the real cloud-init makes of the user data on stdin, as JSON on stdout."""

# mypy: ignore-errors
# cloud-init is not annotated, nor is it where mypy looks.

import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import ClassVar

from cloudinit import handlers, helpers
from cloudinit.handlers.boot_hook import BootHookPartHandler
from cloudinit.handlers.cloud_config import CloudConfigPartHandler
from cloudinit.handlers.shell_script import ShellScriptPartHandler
from cloudinit.settings import PER_INSTANCE
from cloudinit.user_data import UserDataProcessor


class Source:
    def get_instance_id(self):
        return "i-1"


class Hooks(BootHookPartHandler):
    """Writes its hooks, and never runs them."""

    written: ClassVar[dict] = {}

    def handle_part(self, data, ctype, filename, payload, frequency):
        if ctype not in handlers.CONTENT_SIGNALS:
            path = Path(self._write_part(payload, filename))
            self.written[path.name] = path.read_bytes().decode("latin-1")


def main():
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        paths = helpers.Paths({"cloud_dir": folder, "run_dir": folder}, ds=Source())
        folders = [paths.get_ipath_cur("scripts"), paths.get_ipath("boothooks")]
        for each in folders:
            Path(each).mkdir(parents=True)
        told = {"parts": [], "config": None, "failed": ""}
        try:
            process(paths, told)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the user data is lost
            told["failed"] = f"{type(problem).__name__}: {problem}"
        told["boothooks"] = Hooks.written
        told["scripts"] = files(folders[0])
    print(json.dumps(told))


def process(paths, told):
    message = UserDataProcessor(paths).process(sys.stdin.buffer.read())
    config = CloudConfigPartHandler(paths)
    table = helpers.ContentHandlers()
    for handler in (ShellScriptPartHandler(paths), Hooks(paths, Source()), config):
        table.register(handler)
    data = {"handlers": table, "data": None, "frequency": PER_INSTANCE, "excluded": []}

    def seen(data, name, payload, headers):
        told["parts"].append([name, headers["Content-Type"]])
        handlers.walker_callback(data, name, payload, headers)

    handlers.walk(message, seen, data)
    told["config"] = config.cloud_buf


def files(folder):
    return {path.name: path.read_bytes().decode("latin-1") for path in sorted(Path(folder).glob("*"))}


main()
