-- safe

-- Which node's session owes the answer to a part that is not confirmed, and since when; null: that session is over. An equal deliver_sm is
-- the same message only when no living session owes that answer, or one has owed it for 5 seconds.
alter table inbound_part
  add column carried_by uuid,
  add column carried_at timestamptz,
  -- The part (its id) that began the next message under the same reference, so that this one's message takes no further parts.
  add column superseded_by bigint;
