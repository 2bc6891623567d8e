"""What somebody meant who typed something that is not there: one clause with the right typing. Imported only then."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import join

# Words that other tools use, and what does it here.
_ELSEWHERE = {
    **dict.fromkeys(("scan", "lint", "validate", "test", "analyze", "analyse", "verify", "audit-files"), "check ."),
    **dict.fromkeys(("fix", "mend", "repair"), "check --fix ."),
    **dict.fromkeys(("plan", "up", "diff"), "preview"),
    **dict.fromkeys(("cluster", "doctor", "debug", "k8s", "kubernetes", "inspect"), "diagnose"),
    **dict.fromkeys(("host", "hosts", "ssh", "machine"), "node ssh://HOST"),
    **dict.fromkeys(("timeline", "script", "userdata", "user-data", "cloud-init"), "boot user-data.sh"),
    **dict.fromkeys(("list", "catalogue", "policies", "ls"), "rules"),
    **dict.fromkeys(("describe", "show", "why", "what", "man", "docs"), "explain WHAT"),
    **dict.fromkeys(("init", "infer", "discover"), "fleet infer ."),
    **dict.fromkeys(("version", "-v", "-version"), "--version"),
    **dict.fromkeys(("logs", "log", "events"), "explain kubelet.log"),
    **dict.fromkeys(("config", "settings", "pools", "nodepools"), "fleet"),
    **dict.fromkeys(("bench", "benchmark", "nccl", "burn-in", "smoke", "run"), "accept"),
    **dict.fromkeys(("aws", "cloud", "drift", "stale"), "audit"),
    **dict.fromkeys(("replace", "upgrade", "roll", "rotate", "refresh"), "rollout --dry-run"),
    **dict.fromkeys(("server", "serve", "vscode", "editor", "language-server"), "lsp"),
    **dict.fromkeys(("slurm", "sbatch", "jobs"), "check jobs/"),
    **dict.fromkeys(("faults", "chaos", "vm"), "lab faults"),
    **dict.fromkeys(("ignore", "suppress", "accept-findings"), "baseline"),
    **dict.fromkeys(("completions", "autocomplete"), "completion bash"),
}
_FORMATS = ("text", "json", "sarif", "junit", "github", "markdown", "html", "prometheus")
# Messages to people: written of a cluster and of a rollout.
_BRIEF = "brief"
_NO_MEANING = {
    "--severity": "a warning changes the exit code only with --strict; --rule ID and --skip-rule ID choose rules",
    "--level": "a warning changes the exit code only with --strict; --rule ID and --skip-rule ID choose rules",
    "--color": "a terminal has colours as it is, and --no-color takes them away",
    "--colour": "a terminal has colours as it is, and --no-color takes them away",
    "--verbose": "--show-passed and --show-skipped tell more",
    "-v": "--show-passed and --show-skipped tell more",
    "-A": "every namespace is looked into as it is; --namespace NAME looks into one",
    "--all-namespaces": "every namespace is looked into as it is; --namespace NAME looks into one",
    "--exclude": "`exclude:` in .nodeworthy.yaml leaves files out",
    "--config": "settings are .nodeworthy.yaml in this folder, or above it",
    "--port": "it speaks through standard input and output, and an editor starts it: `nodeworthy lsp`",
    "--update": "`nodeworthy baseline` writes it anew, and --prune only takes out",
    **dict.fromkeys(("--recursive", "-r", "-R"), "a folder is read with all that is in it: `nodeworthy check .`"),
    **dict.fromkeys(
        ("--exit-zero", "--soft-fail"), "`nodeworthy baseline .` lets pass what fails today, and only that"
    ),
    **dict.fromkeys(
        ("--fail-on", "--min-severity", "--fail-level"), "errors fail as it is, and warnings, too, with --strict"
    ),
    "--account": "an account of AWS is that of --profile NAME",
    "--kubeconfig": "`KUBECONFIG=FILE nodeworthy diagnose` reads another one, and --context NAME chooses in it",
    "--user": "`nodeworthy node ssh://USER@HOST`",
    "-u": "`nodeworthy node ssh://USER@HOST`",
    **dict.fromkeys(("--key", "--private-key", "-i", "--identity"), "`--ssh-identity-file FILE`"),
    **dict.fromkeys(("--host", "--hosts", "-H"), "a host is named as it is: `nodeworthy node ssh://HOST`"),
    **dict.fromkeys(("--json", "--yaml"), "`--format json`"),
    **dict.fromkeys(("--slurm", "--kubernetes", "--k8s"), "`nodeworthy accept --on slurm`, or kubernetes"),
    **dict.fromkeys(("--pod", "--deployment"), "the whole cluster is read; `--namespace NAME` reads a part of it"),
    **dict.fromkeys(
        ("--no-verify", "--force"), "nothing is changed unless it was shown first; --yes answers its question"
    ),
}
_SAME = {
    "-n": "--namespace",
    "-f": "--from",
    "--from-dir": "--from",
    "--file": "--from",
    "--dump": "--from",
    "--ignore": "--skip-rule",
    "--skip-check": "--skip-rule",
    "--check": "--rule",
    "--only": "--rule",
    "--quiet-mode": "--quiet",
    "-q": "--quiet",
    "-o": "--format",
    "--out": "--output",
    "-s": "--stack",
    "-p": "--pool",
    "--kube-context": "--context",
    "--parallel": "--max-workers",
    "--jobs": "--max-workers",
    "--timeout": "--deadline",
    "--output-file": "--output",
    "--report": "--output",
    "--since": "--window",
}
# What one bare word of a command stands for that takes none.
_BARE = {"preview": "--stack", "diagnose": "--from", "rollout": "--pool", "audit": "--pool", "accept": "--pool"}
# What a command takes as it is, where somebody writes an option before it.
_PLAIN = ("--file", "-f", "--script", "--path", "--dir", "--directory", "-d", "--filename", "--log", "--input")
_TAKES = {"check": "PATH", "boot": "FILE", "explain": "FILE", "baseline": "PATH", "fleet": "infer PATH"}
_LAB = {"start": "up", "run": "faults", "test": "faults", "list": "faults", "boot": "up"}
_FLEET = {"init": "infer .", "create": "infer .", "generate": "infer .", "json-schema": "schema"}


def command_for(word: str, known: Iterable[str], rest: Sequence[str] = ()) -> str:
    """What to type instead of a command that is not there; empty where nobody knows."""
    if word in _ELSEWHERE:
        return f"`nodeworthy {_ELSEWHERE[word]}`"
    near = difflib.get_close_matches(word, list(known), 1)
    if near:
        return f"`{join(['nodeworthy', near[0], *rest])}`"
    if "://" in word or word.startswith("replay:"):
        return f"`{join(['nodeworthy', 'node', word])}`"
    if Path(word).exists():
        return f"`{join(['nodeworthy', 'check', word, *rest])}`"
    from nodeworthy.rules import ids

    return f"`nodeworthy explain {word}`" if word in ids() else ""


def what_was_meant(command: str, typed: Sequence[str], left: Sequence[str], options: Iterable[str]) -> str:
    """A hint for words that a command does not take. `left` are those that it left over."""
    word = left[0].partition("=")[0]
    if not word.startswith("-"):
        return _bare(command, typed, word)
    own = set(options)
    if word in _SAME and _SAME[word] in own:
        value = left[0].partition("=")[2] or (left[1] if len(left) > 1 and not left[1].startswith("-") else "…")
        return f"did you mean `{_SAME[word]} {value}`?"
    if word in _PLAIN and command in _TAKES:
        return f"it is named as it is: `nodeworthy {command} {_TAKES[command]}`"
    if word in _NO_MEANING:
        return _NO_MEANING[word]
    return _nearest(word, own)


def _nearest(word: str, own: Iterable[str]) -> str:
    """The nearest option, compared without the dashes that all of them have."""
    spelt = {each.lstrip("-"): each for each in own}
    near = difflib.get_close_matches(word.lstrip("-"), spelt, 1, 0.7)
    return f"did you mean `{spelt[near[0]]}`?" if near else ""


def _bare(command: str, typed: Sequence[str], word: str) -> str:
    if "--ignore" in typed:
        return f"did you mean `--skip-rule {word}`?"
    kind, slash, named = word.partition("/")
    if command == "diagnose" and slash and kind in ("node", "nodes", "no"):
        return f"did you mean `nodeworthy diagnose --node {named}`?"
    if command == "accept" and word in ("slurm", "kubernetes"):
        return f"did you mean `nodeworthy accept --on {word}`?"
    if command in _BARE:
        return f"did you mean `nodeworthy {command} {_BARE[command]} {word}`?"
    return ""


def choice_for(command: str, word: str) -> str:
    """A hint for the first word of a command that takes only some."""
    if command == "rules":
        from nodeworthy.rules import ids

        named = word in ids()
        return f"did you mean `nodeworthy {f'explain {word}' if named else 'rules'}`?"
    if command == "fleet" and Path(word).exists():
        return f"did you mean `nodeworthy fleet infer {word}`?"
    if command == "fleet" and word in _FLEET:
        return f"did you mean `nodeworthy fleet {_FLEET[word]}`?"
    if command == "lab":
        return f"did you mean `nodeworthy lab {_LAB.get(word, 'up')}`?"
    if command == "fleet":
        return "did you mean `nodeworthy fleet`, or `nodeworthy fleet --stack NAME`?"
    if command == "completion":
        return "`nodeworthy completion bash`, or zsh or fish"
    return ""


def format_for(word: str) -> str:
    if difflib.get_close_matches(word.lower(), (_BRIEF,), 1):
        return "`--format brief` is of `nodeworthy diagnose` and `nodeworthy rollout`"
    near = difflib.get_close_matches(word.lower(), _FORMATS, 1)
    return f"did you mean `--format {near[0]}`?" if near else "`--format json` is for programs"


# What is missing, as somebody would type it.
MISSING = {
    "boot": "`nodeworthy boot user-data.sh`, or - for standard input",
    "completion": "`source <(nodeworthy completion bash)`, or zsh or fish",
}
_VALUES = {
    "--baseline": "`--baseline .nodeworthy-baseline.json`; a baseline beside the files is used as it is",
    "--stack": "`--stack dev`, as in Pulumi.dev.yaml",
    "--fleet": "`--fleet Pulumi.dev.yaml`",
    "--format": "`--format json`",
    "--output": "`--output report.json`",
    "--rule": "`--rule containerd-paths`; `nodeworthy rules` lists them",
    "--skip-rule": "`--skip-rule containerd-paths`; `nodeworthy rules` lists them",
    "--namespace": "`--namespace gpu-operator`",
    "--from": "`--from FOLDER`; `nodeworthy diagnose --print-collect` prints what fills it",
    "--pool": "`--pool h100`; `nodeworthy fleet` lists them",
    "--node": "`--node NAME`, as `kubectl get nodes` prints it",
    "--on": "`--on kubernetes`, or slurm",
}


def value_for(option: str) -> str:
    """What belongs behind an option that was given without it."""
    return _VALUES.get(option, "")
