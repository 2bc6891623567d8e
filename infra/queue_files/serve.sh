#!/bin/sh
# Runs a server; with a PRIMARY_HOST it follows that one, until it is promoted. The replicator's password is in
# PGPASSWORD, from where the server takes it, and in no file.
set -eu
files=${QUEUE_FILES:-/queue}

set -- -D "$PGDATA" -c config_file="$files/postgresql.conf" -c hba_file="$files/pg_hba.conf" \
    -c unix_socket_directories="${QUEUE_SOCKETS:-/var/run/postgresql}" -c max_slot_wal_keep_size="$QUEUE_WAL_KEPT"
if [ -n "${PRIMARY_HOST:-}" ]; then
    set -- "$@" -c primary_slot_name=replica \
        -c primary_conninfo="host=$PRIMARY_HOST port=${PRIMARY_PORT:-5432} user=replicator application_name=replica"
fi
exec postgres "$@"
