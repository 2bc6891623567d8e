"""Ansible's playbooks and lists of tasks, read as the shell script that they come down to on the machine.

Each command stands on the line of the task that it comes from, so that places stay those of the user's own file.
A task that fails ends the play, as `set -e` ends a script. What a task is asked under (`when`), and the group of hosts
that a play is for, become conditions of which nobody knows the answer.
"""

from __future__ import annotations

from nodeworthy.boot.playbook.layout import TasksFile, Whole, as_script, as_whole
from nodeworthy.boot.playbook.recognition import is_playbook

__all__ = ["TasksFile", "Whole", "as_script", "as_whole", "is_playbook"]
