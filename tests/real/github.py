"""As much of GitHub as the action asks for: the comments of one pull request, kept in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN, OURS = "a-token-of-a-test", "github-actions[bot]"
LONGEST = 65_536


@dataclass
class PullRequest:
    """`refuses` is the status that whoever wants to write gets."""

    refuses: int | None = None
    comments: list[dict[str, Any]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    def said(self, author: str, body: str) -> dict[str, Any]:
        comment = {"id": len(self.comments) + 1, "user": {"login": author}, "body": body}
        self.comments.append(comment)
        return comment

    @property
    def ours(self) -> list[str]:
        return [each["body"] for each in self.comments if each["user"]["login"] == OURS]

    def answer(self, method: str, path: str, headers: Mapping[str, str], told: dict[str, Any]) -> tuple[int, Any]:
        if headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, {"message": "Bad credentials"}
        url = urlsplit(path)
        if method == "GET":
            page = int(parse_qs(url.query)["page"][0])
            return 200, self.comments[(page - 1) * 100 : page * 100]
        self.written.append(method)
        if self.refuses is not None:
            return self.refuses, {"message": "Resource not accessible by integration"}
        if len(told["body"]) > LONGEST:
            return 422, {"message": f"Body is too long (maximum is {LONGEST} characters)"}
        if method == "POST":
            return 201, self.said(OURS, told["body"])
        comment = self.comments[int(url.path.rpartition("/")[2]) - 1]
        comment["body"] = told["body"]
        return 200, comment
