-- safe
-- A message that staff allow waits for the sending hours that count then, not for those of its
-- acceptance. Null: its time did not depend on sending hours.

alter table review add column wanted_at timestamptz;
