-- safe
-- References that thousands of rows of one statement make are looked up once for all of them, not row by row
-- (docs/decisions/0045-references-by-statement.md). What is refused, and what goes with a removed object, stays as it was.

-- Of a table that refers to the id of another one. Arguments: the column, the other table, the name of the reference.
-- Locks what is referred to, as a foreign key does, so that it stays until the transaction ends.
create or replace function expect_referred() returns trigger language plpgsql as $$
declare
  keys integer[];
  own constant xid := pg_current_xact_id()::xid;
  known integer;
  locked integer;
  lost integer;
begin
  if tg_level = 'ROW' then
    keys := array[(to_jsonb(new) ->> tg_argv[0])::integer];
  elsif tg_op = 'INSERT' then
    execute format('select array_agg(key) from (select distinct %I as key from new_rows) as given', tg_argv[0]) into keys;
  else
    execute format('select array_agg(key) from (select distinct n.%1$I as key from new_rows n left join old_rows o using (id) where n.%1$I is distinct from o.%1$I) as given',
                   tg_argv[0]) into keys;
  end if;
  if keys is null then
    return null;
  end if;
  -- What this transaction has made, nobody else can remove before it ends.
  execute format('select count(*) from %I where id = any($1) and xmin = $2', tg_argv[1]) into known using keys, own;
  if known = cardinality(keys) then
    return null;
  end if;
  execute format('select count(*) from (select from %I where id = any($1) and xmin <> $2 for key share) as found', tg_argv[1]) into locked using keys, own;
  if known + locked < cardinality(keys) then
    execute format('select key from unnest($1) as key where not exists (select from %I where id = key) limit 1', tg_argv[1]) into lost using keys;
    raise foreign_key_violation using
      message = format('insert or update on table "%s" violates foreign key constraint "%s"', tg_table_name, tg_argv[2]),
      detail = format('Key (%s)=(%s) is not present in table "%s".', tg_argv[0], lost, tg_argv[1]),
      schema = tg_table_schema, table = tg_table_name, constraint = tg_argv[2];
  end if;
  return null;
end $$;

-- Of a table that is referred to. Arguments: the table that refers to it, the column, the name of the reference, and whether the rows that
-- refer to a removed one go with it ('cascade') or keep it there ('refuse').
create or replace function keep_references() returns trigger language plpgsql as $$
declare
  kept integer;
begin
  if tg_op = 'TRUNCATE' then
    -- With CASCADE; without, the foreign keys of others refuse it.
    execute format('select %I from %I limit 1', tg_argv[1], tg_argv[0]) into kept;
    if kept is not null then
      execute format('truncate %I cascade', tg_argv[0]);
    end if;
    return null;
  elsif current_setting('transaction_isolation') <> 'read committed' then
    -- Rows that others have committed since this transaction began would not be seen, and stay behind.
    raise feature_not_supported using message = format('rows of table "%s" are removed in transactions of isolation level READ COMMITTED only', tg_table_name);
  elsif tg_op = 'UPDATE' then
    execute format('select %1$I from %2$I where %1$I = $1 limit 1', tg_argv[1], tg_argv[0]) into kept using old.id;
  elsif tg_argv[3] = 'cascade' then
    execute format('delete from %I where %I in (select id from old_rows)', tg_argv[0], tg_argv[1]);
  else
    execute format('select r.%1$I from %2$I r where r.%1$I in (select o.id from old_rows o where not exists (select from %3$I p where p.id = o.id)) limit 1',
                   tg_argv[1], tg_argv[0], tg_table_name) into kept;
  end if;
  if kept is not null then
    raise foreign_key_violation using
      message = format('update or delete on table "%s" violates foreign key constraint "%s" on table "%s"', tg_table_name, tg_argv[2], tg_argv[0]),
      detail = format('Key (id)=(%s) is still referenced from table "%s".', kept, tg_argv[0]),
      schema = tg_table_schema, table = tg_argv[0], constraint = tg_argv[2];
  end if;
  return null;
end $$;

do $$
declare
  referring text;
  referring_column text;
  referred text;
  fate text;
  rule text;
  expected text;
  kept text;
begin
  for referring, referring_column, referred, fate in values
    ('account', 'tariff_id', 'tariff', 'refuse'),
    ('account_balance', 'account_id', 'account', 'cascade'),
    ('account_line', 'account_id', 'account', 'cascade'),
    ('account_line', 'line_id', 'sender_line', 'cascade'),
    ('api_key', 'account_id', 'account', 'cascade')
  loop
    rule := format('%s_%s_fkey', referring, referring_column);
    expected := format('execute function expect_referred(%L, %L, %L)', referring_column, referred, rule);
    kept := format('execute function keep_references(%L, %L, %L, %L)', referring, referring_column, rule, fate);
    execute format('alter table %I drop constraint %I', referring, rule);
    execute format('create trigger %I after insert on %I referencing new table as new_rows for each statement %s',
                   'refer_inserted_' || referred, referring, expected);
    if referring = 'account' then
      execute format('create trigger %I after update on %I referencing old table as old_rows new table as new_rows for each statement %s',
                     'refer_updated_' || referred, referring, expected);
    else
      -- Nobody does it; and a trigger for each statement would cost the balances of messages that go out.
      execute format('create trigger %1$I after update of %3$I on %2$I for each row when (old.%3$I is distinct from new.%3$I) %4$s',
                     'refer_updated_' || referred, referring, referring_column, expected);
    end if;
    execute format('create trigger %I after delete on %I referencing old table as old_rows for each statement %s', 'referred_deleted_' || referring, referred, kept);
    execute format('create trigger %I after truncate on %I for each statement %s', 'referred_truncated_' || referring, referred, kept);
    execute format('create trigger %I after update of id on %I for each row when (old.id is distinct from new.id) %s', 'referred_updated_' || referring, referred, kept);
  end loop;
end $$;
