-- safe
-- Which long messages to a phone hold a reference, so that no two on their way to it have the same one: three lists that go together.
alter table concatenation_reference
  add column numbers integer[] not null default '{}',
  add column account_ids integer[] not null default '{}',
  add column message_ids uuid[] not null default '{}';

-- What waits and has been sent in part goes on under its number.
insert into concatenation_reference as c (recipient, last, numbers, account_ids, message_ids)
select recipient, max(reference), array_agg(reference), array_agg(account_id), array_agg(id)
  from (select distinct on (m.recipient, m.reference % 256) m.recipient, m.reference, m.account_id, m.id
          from message_queue q join message m on m.account_id = q.account_id and m.id = q.message_id
         where m.status = 0 and m.parts > 1 and m.reference is not null and m.parts_taken <> 0
         order by m.recipient, m.reference % 256, m.id) half
 group by recipient
on conflict (recipient) do update
   set numbers = excluded.numbers, account_ids = excluded.account_ids, message_ids = excluded.message_ids;

-- Long messages that wait until a reference of their phone is free. Their rows in message_queue fall due when their validity ends; due_at is where
-- they belong.
create table reference_wait (
  recipient  text not null,
  priority   smallint not null,
  message_id uuid not null,
  account_id integer not null,
  due_at     timestamptz not null,
  primary key (recipient, priority, message_id)
);
