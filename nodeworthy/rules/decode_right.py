"""A model makes the same tokens with its cache as without, and in a batch as alone.

A cache that is off by one position, or experts that are routed otherwise on another GPU, change what a model says,
and no error tells. Greedy decoding leaves no choice, so the tokens must be the same whichever way they are made.
"""

from __future__ import annotations

from nodeworthy.facts.accept.right import Decoding
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, unknown

RULE = Rule(
    "decode-right",
    severity=Severity.ERROR,
    title="A model makes the same tokens with its cache as without, and in a batch as alone",
    remedy="run gpu-sanity on this GPU; if it computes right, the libraries of the image do not: try another",
)

_CALLED = {
    "full": "without its cache",
    "cached": "with its cache",
    "batch": "in a batch",
    "one": "on one GPU",
    "parallel": "spread over the node's GPUs",
    "once": "the first time",
    "again": "the second time",
}
# What all others are compared with, the first that is there.
_REFERENCES = ("full", "one", "once")
# In an engine that chooses its kernels by the load, rounding may differ: that is worth a look, and no proof.
_SOFT = ("again",)
# Instead of a checksum.
_NOTHING = "none"


@RULE.check
def tokens_are_the_same(seen: Decoding) -> Findings:
    for of, ways in seen.tokens.items():
        reference = next((each for each in _REFERENCES if each in ways), None)
        if reference is None or len(ways) < 2:
            yield unknown(seen, f"whether {of} decodes right is not known: there is nothing to compare its tokens with")
            continue
        for way, tokens in ways.items():
            if tokens == _NOTHING:
                yield fail(
                    seen,
                    f"{of} made no token {_CALLED.get(way, way)}",
                    is_="nothing",
                    should="the words that it was asked for",
                    cause="whoever asks the model gets an empty answer, and no error tells",
                )
            elif tokens != ways[reference]:
                yield fail(
                    seen,
                    f"{of} makes other tokens {_CALLED.get(way, way)} than {_CALLED[reference]}",
                    is_=tokens,
                    should=ways[reference],
                    cause="answers differ from what the model would say, and no error tells",
                    severity=Severity.WARNING if way in _SOFT else Severity.ERROR,
                )
