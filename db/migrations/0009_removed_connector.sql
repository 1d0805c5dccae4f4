-- safe
-- A connector that staff have removed, for as long as receipts may speak of what it sent: which link it was, and no secret.
create table removed_connector (
  connector_id integer primary key,
  settings     jsonb not null, -- host, port, systemId and receiptGroup
  removed_at   timestamptz not null default now()
);
