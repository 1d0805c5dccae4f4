-- safe
-- Which parts of a message were submitted to connector_id and never answered, while it waits to be submitted again: bit n-1 part n; -1: the whole
-- message in one submit_sm.
alter table message add column parts_unanswered integer;

-- What waits so already.
update message m
   set parts_unanswered = case when c.settings ->> 'longMessages' = 'payload' and m.parts > 1 then -1 else ((1 << m.parts) - 1) & ~m.parts_taken end
  from message_queue q, connector c
 where m.account_id = q.account_id and m.id = q.message_id and m.status = 0 and m.reason = 1302 and c.id = m.connector_id;
