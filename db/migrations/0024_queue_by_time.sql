-- safe
-- What is not due yet stands apart in message_queue, under its priority + 8, so that claims do not pass it (docs/decisions/0033-turns-by-a-cursor.md).
-- Finds what falls due, and what has waited longest. Of an expression, so that no other statement uses it: where statistics say that nothing has a
-- priority, it looks as good for a claim as the key.
create index message_queue_by_due on message_queue ((priority::int), due_at);
-- Finds what has waited beyond its validity.
create index message_queue_by_validity on message_queue (valid_until);
