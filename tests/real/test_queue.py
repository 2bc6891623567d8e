"""The job queue's files at work: a primary and a replica are made by them, and what is sent is not lost with a node."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .daemon import PATIENCE
from .postgres import SECRETS, Postgres, Refused, Server, stopped
from .tools import Tools


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(scope="module")
def pair(tools: Tools) -> Iterator[tuple[Server, Server]]:
    with Postgres.of(tools) as postgres:
        primary = postgres.server("primary")
        primary.make("make-primary.sh")
        primary.serve()
        replica = postgres.server("replica", follows=primary)
        replica.make("make-replica.sh")
        replica.serve()
        yield primary, replica


def as_queue(server: Server, sql: str) -> str:
    return server.ask_over_the_network(sql, password=SECRETS["QUEUE_PASSWORD"])


def test_the_replica_streams_from_its_slot(pair: tuple[Server, Server]) -> None:
    primary, replica = pair
    until(lambda: primary.ask("SELECT state FROM pg_stat_replication") == "streaming")
    assert primary.ask("SELECT slot_name, active, wal_status FROM pg_replication_slots") == "replica|t|reserved"
    assert replica.ask("SELECT pg_is_in_recovery(), status FROM pg_stat_wal_receiver") == "t|streaming"
    assert primary.ask("SHOW max_slot_wal_keep_size") == "64MB"


def test_a_message_that_is_sent_is_on_the_replica(pair: tuple[Server, Server]) -> None:
    primary, replica = pair
    as_queue(primary, "SELECT pgmq.create('jobs')")
    sent = as_queue(primary, """SELECT pgmq.send('jobs', '{"run": "train.py"}')""")
    count = "SELECT count(*) FROM pg_class WHERE relname = 'q_jobs'"
    until(lambda: as_queue(replica, count) == "1")
    until(lambda: as_queue(replica, f"SELECT message->>'run' FROM pgmq.q_jobs WHERE msg_id = {sent}") == "train.py")
    with pytest.raises(Refused, match="read-only"):
        as_queue(replica, "SELECT pgmq.send('jobs', '{}')")


def test_who_has_no_password_stays_outside(pair: tuple[Server, Server]) -> None:
    primary, _ = pair
    with pytest.raises(Refused, match="password authentication failed"):
        primary.ask_over_the_network("SELECT 1", password="guessed")
    with pytest.raises(Refused, match=r"no pg_hba\.conf entry"):
        primary.ask_over_the_network("SELECT 1", user="postgres", password="any")


def test_what_is_made_is_not_made_again(pair: tuple[Server, Server]) -> None:
    for server, script in zip(pair, ("make-primary.sh", "make-replica.sh"), strict=True):
        identity = server.ask("SELECT system_identifier FROM pg_control_system()")
        assert server.make(script) == ""
        assert server.ask("SELECT system_identifier FROM pg_control_system()") == identity


def test_no_password_lies_in_the_data(pair: tuple[Server, Server]) -> None:
    for server in pair:
        for file in Path(server.env["PGDATA"]).glob("*.conf"):
            assert "of-the-tests" not in file.read_text(encoding="utf-8")


def test_half_of_it_counts_as_nothing(tools: Tools) -> None:
    """A node that died while the primary was made leaves something that is thrown away."""
    with Postgres.of(tools) as postgres:
        primary = postgres.server("primary")
        broken = {**primary.env, "QUEUE_FILES": "/nowhere"}
        with pytest.raises(Refused):
            Server(postgres, "primary", broken).run("sh", f"{primary.env['QUEUE_FILES']}/make-primary.sh")
        assert not Path(primary.env["PGDATA"]).exists()
        primary.make("make-primary.sh")
        primary.serve()
        assert as_queue(primary, "SELECT extname FROM pg_extension WHERE extname = 'pgmq'") == "pgmq"


def test_the_replica_takes_over(tools: Tools) -> None:
    with Postgres.of(tools) as postgres:
        primary = postgres.server("primary")
        primary.make("make-primary.sh")
        first = primary.serve()
        replica = postgres.server("replica", follows=primary)
        replica.make("make-replica.sh")
        second = replica.serve()
        as_queue(primary, "SELECT pgmq.create('jobs')")
        before = as_queue(primary, "SELECT pgmq.send('jobs', '{}')")
        until(lambda: primary.ask("SELECT replay_lsn = pg_current_wal_lsn() FROM pg_stat_replication") == "t")
        first.kill()
        replica.run("pg_ctl", "promote", f"--pgdata={replica.env['PGDATA']}", "--wait")
        after = as_queue(replica, "SELECT pgmq.send('jobs', '{}')")
        assert int(after) > int(before)
        stopped(second)
        replica.make("make-replica.sh")
        replica.serve()
        assert replica.ask("SELECT pg_is_in_recovery()") == "f"
        assert as_queue(replica, "SELECT count(*) FROM pgmq.q_jobs") == "2"
