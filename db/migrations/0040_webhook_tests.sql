-- safe
-- When the tests of the last minute were sent to an endpoint: all nodes count them together.

create table webhook_test (
  endpoint_id uuid primary key references webhook_endpoint on delete cascade,
  sent_at timestamptz[] not null
) with (fillfactor = 70);
