-- safe
-- Block lists by name (docs/rules.md), their numbers packed in blocks as ported numbers are (docs/decisions/0035-numbers-by-the-million.md).

create table block_list (
  id         integer generated always as identity primary key,
  name       text not null unique,
  -- When numbers last changed.
  updated_at timestamptz not null default now()
);

create table listed_block (
  -- The last nine digits of its numbers, divided by 65,536.
  block   integer not null,
  list_id integer not null references block_list on delete cascade,
  -- The remainders, ascending, each in two octets, little-endian.
  numbers bytea not null,
  primary key (block, list_id),
  constraint block_holds_numbers check (octet_length(numbers) between 2 and 131072 and octet_length(numbers) % 2 = 0)
);
-- They hardly compress, and a length is read without them.
alter table listed_block alter column numbers set storage external;
create index listed_block_by_list on listed_block (list_id);

alter table configuration_change drop constraint changed_kind_is_known;
alter table configuration_change add constraint changed_kind_is_known check (kind in ('network', 'account', 'portedNumber', 'portedBlock', 'listedBlock'));

create trigger note_inserted after insert on listed_block referencing new table as new_rows for each statement execute function note_changed_blocks('listedBlock');
create trigger note_updated after update on listed_block referencing new table as new_rows for each statement execute function note_changed_blocks('listedBlock');
create trigger note_deleted after delete on listed_block referencing old table as old_rows for each statement execute function note_changed_blocks('listedBlock');
create trigger note_truncated after truncate on listed_block for each statement execute function note_changed_blocks('listedBlock');
