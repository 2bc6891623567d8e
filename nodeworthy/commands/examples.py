"""What one types, command by command: the first screen of each command's help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# What is typed behind `nodeworthy`, and what that does.
EXAMPLES: Mapping[str, Sequence[tuple[str, str]]] = {
    "check": (
        ("check .", "all below this folder"),
        ("check values.yaml user-data.sh", "these two, with what lies beside them"),
        ("check --fix .", "mends what leaves no choice, after a diff and a question"),
        ("check --format sarif --output report.sarif .", "for a code scanner"),
    ),
    "preview": (
        ("preview --stack ci", "the plan of this Pulumi program, without an account"),
        ("preview --stack ci --ask-aws", "asks the account once what the program asks of AWS, and keeps it"),
    ),
    "audit": (
        ("audit --stack prod", "the pools of this stack's fleet, in AWS"),
        ("audit --region us-east-2 --record looked", "keeps what AWS answered, to be judged again"),
        ("audit --print-policy", "the rights that it takes"),
    ),
    "rollout": (
        ("rollout --pool h100 --dry-run", "which nodes are stale, and what would be done"),
        ("rollout --pool h100", "replaces them one by one"),
        ("rollout --pause", "ends after the node that it is at"),
    ),
    "node": (
        ("node ssh://gpu-01 --pool h100", "a fresh machine, as its pool should be"),
        ("node local://", "this machine"),
        ("node node://gpu-01", "a node of this cluster, without ssh"),
        ("node ssh://gpu-01 --record looked", "keeps what was read; node replay:looked judges it again"),
    ),
    "lab": (
        ("lab up", "a fresh node, to look at"),
        ("lab faults", "every known fault, and which rule sees it"),
    ),
    "diagnose": (
        ("diagnose", "the cluster of the current context"),
        ("diagnose --node gpu-01", "the chain of one node, from the card to the pod"),
        ("diagnose --from dump", "what kubectl wrote; --print-collect says how"),
        ("diagnose --fix --dry-run", "what it would mend, and how"),
    ),
    "accept": (
        ("accept --on kubernetes --pool h100", "every node of the pool, by real work"),
        ("accept --on slurm gpu-01 gpu-02", "these two, as jobs of Slurm"),
    ),
    "lsp": (("lsp", "what an editor starts; docs/editor.md shows how"),),
    "baseline": (
        ("baseline", "what fails today, of all below this folder"),
        ("baseline --prune", "takes out what no longer fails"),
    ),
    "boot": (
        ("boot user-data.sh", "its timeline"),
        ("boot - < node.sh.tftpl", "of what is piped in, templates as well"),
    ),
    "explain": (
        ("explain containerd-paths", "a rule"),
        ("explain h100", "a GPU; likewise p5.48xlarge, k3s, 25.10"),
        ("explain kubelet.log", "what is known of the lines of a log"),
    ),
    "rules": (
        ("rules", "all of them"),
        ("rules test rules", "tries your own, in the folder `rules`, on their cases"),
    ),
    "fleet": (
        ("fleet --stack dev", "the pools of this stack"),
        ("fleet infer . > Pulumi.dev.yaml", "the fleet that follows from these files, to be read and kept"),
        ("fleet schema", "for editors"),
    ),
    "completion": (("completion bash", "what a shell's startup file evaluates; also zsh, fish"),),
}


def with_examples(documentation: str, command: str) -> str:
    """What the command says of itself, its examples behind the first paragraph: they belong on the first screen."""
    first, blank, rest = documentation.strip().partition("\n\n")
    lines = EXAMPLES.get(command, ())
    if not lines:
        return documentation
    width = max(len(typed) for typed, _ in lines)
    shown = [f"  nodeworthy {typed:<{width}}  {says}" for typed, says in lines]
    return "\n".join([first, "", "Examples:", *shown, *([blank.strip("\n"), rest] if rest else [])])
