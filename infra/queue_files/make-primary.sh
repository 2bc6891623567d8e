#!/bin/sh
# Makes the primary's data, once: where there is some already, nothing happens.
# It is made beside its place and moved there when it is whole, so that half of it never counts as some.
set -eu
files=${QUEUE_FILES:-/queue}
sockets=${QUEUE_SOCKETS:-/var/run/postgresql}
making=$PGDATA.making

if [ -s "$PGDATA/PG_VERSION" ]; then
    exit 0
fi
rm -rf "$making"
initdb --pgdata="$making" --username=postgres --encoding=UTF8 --locale=C --data-checksums \
    --auth-local=peer --auth-host=reject

# For the time being it listens to nobody but this script.
pg_ctl --pgdata="$making" --wait --log="$making/made.log" \
    --options="-c config_file=$files/postgresql.conf -c hba_file=$files/pg_hba.conf \
        -c listen_addresses= -c unix_socket_directories=$sockets" \
    start </dev/null
ask() {
    psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --host="$sockets" --username=postgres "$@"
}
ask --dbname=postgres --file="$files/roles.sql"
ask --dbname=queue --file="$files/extension.sql"
pg_ctl --pgdata="$making" --wait --mode=fast stop
mv "$making" "$PGDATA"
