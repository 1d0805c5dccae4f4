-- safe

-- The connectors that may bring messages for a line; a line without a row here takes them from all.
create table line_connector (
  line_id      integer not null references sender_line on delete cascade,
  -- No cascade: a line whose last connector goes would be open to all.
  connector_id integer not null references connector,
  primary key (line_id, connector_id)
);

alter table inbound_message
  add column connector_id integer, -- that brought it; null: stored by a version that did not note it
  -- Brought by a connector that the line does not list: no account ever gets it.
  add column stray boolean not null default false;
create index inbound_message_unassigned on inbound_message (recipient) where account_id = 0 and not stray; -- serves assignMessages
