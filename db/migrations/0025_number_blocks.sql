-- safe
-- Ported numbers that were imported, packed in blocks (docs/decisions/0035-numbers-by-the-million.md). Those of a setup file stay in ported_number and win.

create table ported_block (
  -- The last nine digits of its numbers, divided by 65,536.
  block       integer not null,
  operator_id integer not null references operator on delete cascade,
  -- The remainders, ascending, each in two octets, little-endian.
  numbers     bytea not null,
  primary key (block, operator_id),
  constraint block_holds_numbers check (octet_length(numbers) between 2 and 131072 and octet_length(numbers) % 2 = 0)
);
-- They hardly compress, and a length is read without them.
alter table ported_block alter column numbers set storage external;
create index ported_block_by_operator on ported_block (operator_id);

alter table configuration_change drop constraint changed_kind_is_known;
alter table configuration_change add constraint changed_kind_is_known check (kind in ('network', 'account', 'portedNumber', 'portedBlock'));

-- Notes the blocks of changed rows. Argument: the kind. Apart from note_changed_rows, which looks into all columns.
create or replace function note_changed_blocks() returns trigger language plpgsql as $$
declare
  found text[];
begin
  if tg_op = 'TRUNCATE' then
    perform note_configuration_change(tg_argv[0], null);
  elsif tg_op = 'DELETE' then
    select array_agg(distinct block::text) into found from old_rows;
  else
    select array_agg(distinct block::text) into found from new_rows;
  end if;
  if found is not null then
    perform note_configuration_change(tg_argv[0], found);
  end if;
  return null;
end $$;
create trigger note_inserted after insert on ported_block referencing new table as new_rows for each statement execute function note_changed_blocks('portedBlock');
create trigger note_updated after update on ported_block referencing new table as new_rows for each statement execute function note_changed_blocks('portedBlock');
create trigger note_deleted after delete on ported_block referencing old table as old_rows for each statement execute function note_changed_blocks('portedBlock');
create trigger note_truncated after truncate on ported_block for each statement execute function note_changed_blocks('portedBlock');
