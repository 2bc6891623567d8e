-- Who may do what. The superuser has no password: it is reached from inside the pod only (pg_hba.conf).
\getenv queue_password QUEUE_PASSWORD
\getenv replication_password REPLICATION_PASSWORD
CREATE ROLE queue LOGIN PASSWORD :'queue_password';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replication_password';
CREATE DATABASE queue OWNER queue;
-- What the replica has not read yet is kept for it.
SELECT pg_create_physical_replication_slot('replica', true);
