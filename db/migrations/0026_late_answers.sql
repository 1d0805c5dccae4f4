-- safe
-- What is kept of a message beside the outcome of its claims (docs/decisions/0032-what-is-kept-of-a-message.md): answers that
-- did not take a part and came after it had been given up, and claims of nodes that died. Null for nearly all messages.
alter table message
  add column late_answers jsonb,
  add column lost_claims jsonb;
