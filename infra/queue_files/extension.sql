-- The owner of the extension is who makes queues: each of them becomes a part of it.
SET ROLE queue;
CREATE EXTENSION IF NOT EXISTS pgmq;
