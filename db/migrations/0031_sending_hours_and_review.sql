-- safe
-- Sending hours and the review of texts (docs/rules.md). A message knows its purpose where `template_id` does not say it. The
-- queue knows until when a message may be claimed, and when it would be due without sending hours. What waits for staff is in
-- neither queue nor claim, but here.
alter table message
  add column purpose smallint;
alter table message_queue
  add column window_end timestamptz,
  add column wanted_at timestamptz;
create index message_queue_by_window on message_queue (window_end) where window_end is not null;

create table review (
  account_id int not null,
  message_id uuid not null,
  rule text not null,
  valid_until timestamptz not null,
  primary key (account_id, message_id)
);
create index review_by_validity on review (valid_until);
create index review_by_rule on review (rule, message_id);
