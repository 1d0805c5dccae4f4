-- safe
-- What a statement changed is noted without reading all columns of its rows (docs/decisions/0034-changes-of-the-configuration.md): the first
-- 5,001 of them were made JSON, also where they were too many to be noted one by one. What is noted is as before.

-- Arguments: the kind, the column of the key ('' for the network), and the columns that nodes do not read.
create or replace function note_changed_rows() returns trigger language plpgsql as $$
declare
  -- With more rows it is cheaper to read all.
  most constant integer := 5000;
  touched integer;
  found text[];
begin
  if tg_op = 'TRUNCATE' then
    touched := most + 1;
  elsif tg_op = 'UPDATE' then
    select count(*) into touched from (select from new_rows limit most + 1) as changed;
    if touched <= most then
      with before as (select to_jsonb(o) - tg_argv[2:] as stored from old_rows o),
      after as (select to_jsonb(n) - tg_argv[2:] as stored from new_rows n),
      changed as ((select stored from before except select stored from after) union all (select stored from after except select stored from before))
      select count(*), array_agg(distinct stored ->> tg_argv[1]) into touched, found from changed;
    end if;
  else
    if tg_op = 'INSERT' then
      select count(*) into touched from (select from new_rows limit most + 1) as changed;
    else
      select count(*) into touched from (select from old_rows limit most + 1) as changed;
    end if;
    if tg_argv[0] <> 'network' and touched between 1 and most then
      execute format('select array_agg(distinct %I::text) from %I', tg_argv[1], case tg_op when 'INSERT' then 'new_rows' else 'old_rows' end) into found;
    end if;
  end if;
  if touched > 0 then
    perform note_configuration_change(tg_argv[0], case when tg_argv[0] <> 'network' and touched <= most then found end);
  end if;
  return null;
end $$;
