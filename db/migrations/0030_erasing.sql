-- safe
-- Erasing of texts (docs/decisions/0039-erasing.md).

-- A subscriber may send an empty text. The text of a message sent is never empty until it is erased.
alter table inbound_message add column content_erased boolean not null default false;

-- How far the texts of a kind (text, code, received) are erased, by the time in the ids.
create table erasure (
  kind text primary key,
  done_until timestamptz not null
);

-- Stretches before that whose messages had not all ended long enough.
create table erasure_left (
  kind text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  look_at timestamptz not null,
  primary key (kind, from_at)
);
