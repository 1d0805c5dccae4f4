-- safe
-- Replies of inbound rules (docs/rules.md): written with the received message, sent in the transaction that settles the row.
create table inbound_reply (
  -- Of the received message.
  id         uuid primary key,
  account_id integer not null,
  line       text not null,
  -- Who wrote, and gets the reply.
  number     text not null,
  -- Of the folded text that was received.
  digest     bytea not null,
  -- The reply; null: settled.
  content    text,
  -- Whose answers must not be owed any more when the reply goes out.
  part_ids   bigint[] not null,
  asked_at   timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When the reply was accepted as a message; null: it was not.
  sent_at    timestamptz
);
create index inbound_reply_due on inbound_reply (asked_at) where content is not null;
create index inbound_reply_sent on inbound_reply (line, number, sent_at) where sent_at is not null;
create index inbound_reply_by_text on inbound_reply (line, number, digest, asked_at);
