-- safe
-- Templates that were refused; API keys and users as people manage them in the console.
alter table template
  -- Why it was refused; null: approved, or waiting to be looked at.
  add column refused_reason text,
  -- Of its present text.
  add column asked_at timestamptz not null default now(),
  add constraint approved_template_is_not_refused check (not approved or refused_reason is null);

alter table api_key
  -- Null: it came from a setup file, which gives only its hash.
  add column last_four text,
  add column created_at timestamptz,
  add column last_used_at timestamptz,
  -- From then on calls with it are refused; null: never.
  add column expires_at timestamptz,
  -- Replaced by a newer one, and good for a time besides.
  add column retired boolean not null default false;

alter table account_user
  add column enabled boolean not null default true;
