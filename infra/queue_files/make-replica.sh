#!/bin/sh
# Copies the primary, once: where there is a copy already, it catches up by itself. PGPASSWORD is the replicator's.
set -eu
making=$PGDATA.making
port=${PRIMARY_PORT:-5432}

if [ -s "$PGDATA/PG_VERSION" ]; then
    exit 0
fi
until pg_isready --quiet --host="$PRIMARY_HOST" --port="$port"; do
    echo "waiting for $PRIMARY_HOST"
    sleep "${QUEUE_PATIENCE:-2}"
done
rm -rf "$making"
# What is written during the copy is kept in the slot from which it will go on.
pg_basebackup --pgdata="$making" --host="$PRIMARY_HOST" --port="$port" --username=replicator --no-password \
    --wal-method=stream --slot=replica --checkpoint=fast
touch "$making/standby.signal"
mv "$making" "$PGDATA"
