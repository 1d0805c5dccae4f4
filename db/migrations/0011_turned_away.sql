-- safe
-- Why a message waits: how often an operator turned it away for now, which connector the last time, with what answer, and when.
alter table message
  add column turned_away integer,
  add column turned_away_by integer,
  add column turned_away_answer text,
  add column turned_away_at timestamptz;
