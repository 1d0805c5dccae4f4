-- safe
-- From where users logged in within the last day, so that a flood of guesses does not keep them out after a restart, or on another
-- node. A user's rows outlive the user by a day: no foreign key, so that a login waits for no change of users.
create table login_origin (
  user_id integer not null,
  address_hash bytea not null,
  seen_at timestamptz not null,
  primary key (user_id, address_hash)
);
create index login_origin_by_time on login_origin (seen_at);
