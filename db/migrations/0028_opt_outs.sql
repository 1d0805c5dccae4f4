-- safe
-- Numbers that want nothing from a line (docs/decisions/0038-opt-outs.md). By the number of the line: who asked not to be written to stays asked for when a
-- line is removed and comes back.

create table opt_out (
  line       text not null,
  number     text not null,
  -- Only this account is concerned; null: all that send from the line.
  account_id integer references account on delete cascade,
  how        text not null,
  created_at timestamptz not null default now(),
  constraint how_is_known check (how in ('message', 'api', 'staff', 'import')),
  constraint api_concerns_its_account check ((how = 'api') = (account_id is not null)),
  constraint number_is_mobile check (number ~ '^989[0-9]{9}$')
);
create unique index opt_out_once on opt_out (line, number, coalesce(account_id, 0));
create index opt_out_by_account on opt_out (account_id) where account_id is not null;

-- What changed, for nodes that hold all entries in memory. They read what they could not see before, by the ids of transactions.
create table opt_out_change (
  xid        xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default now(),
  -- Of the same length; null: everything.
  lines      text[],
  numbers    text[]
);
create index opt_out_change_by_xid on opt_out_change (xid);

create or replace function note_opt_outs() returns trigger language plpgsql as $$
begin
  -- A backup brings its own notes.
  if current_setting('hodhod.restoring', true) = 'on' then
    return null;
  end if;
  if tg_op = 'TRUNCATE' then
    insert into opt_out_change default values;
  else
    insert into opt_out_change (lines, numbers) select array_agg(line), array_agg(number) from changed_rows having count(*) > 0;
  end if;
  perform pg_notify('hodhod_configuration', '');
  return null;
end $$;
create trigger note_inserted after insert on opt_out referencing new table as changed_rows for each statement execute function note_opt_outs();
create trigger note_deleted after delete on opt_out referencing old table as changed_rows for each statement execute function note_opt_outs();
create trigger note_truncated after truncate on opt_out for each statement execute function note_opt_outs();
