-- safe
-- Erasing of one person (docs/decisions/0039-erasing.md): events that name a number are found by
-- it. Events of messages, which are nearly all, name none.
create index event_by_number on event ((detail ->> 'recipientNumber')) where detail is not null;
