-- safe
-- Keys of the setup file for events and rules of sending (docs/setup-file.md).

-- The ordered lists blockLists, sendingHours, contentRules and inboundRules.
create table rule (
  section text not null,
  position integer not null,
  -- As the setup file writes it, with its defaults; `json` keeps the order of its keys.
  body json not null,
  primary key (section, position),
  constraint section_is_known check (section in ('blockLists', 'sendingHours', 'contentRules', 'inboundRules'))
);
create trigger note_inserted after insert on rule referencing new table as new_rows for each statement execute function note_changed_rows('network', '');
create trigger note_deleted after delete on rule referencing old table as old_rows for each statement execute function note_changed_rows('network', '');
create trigger note_truncated after truncate on rule for each statement execute function note_changed_rows('network', '');
create trigger note_updated after update on rule referencing old table as old_rows new table as new_rows for each statement execute function note_changed_rows('network', '');

alter table configuration
  -- Of the months of monthlyCost.
  add column calendar text not null default 'jalali' constraint calendar_is_known check (calendar in ('jalali', 'gregorian')),
  -- Null: 30, or retention_days where that is less.
  add column event_days integer,
  -- 0: as long as the message.
  add column content_days integer not null default 0,
  add column code_content_hours integer not null default 0,
  -- Null: the usual words and notice.
  add column opt_out_stop text[],
  add column opt_out_resume text[],
  add column opt_out_notice text;

-- Null: that of the kind of the line.
alter table sender_line add column opt_out text constraint opt_out_is_known check (opt_out in ('honour', 'require', 'append', 'off'));
alter table template add column purpose text not null default 'code' constraint purpose_is_known check (purpose in ('code', 'information'));
-- 0: off, or none.
alter table account
  add column duplicate_seconds integer not null default 0,
  add column daily_messages bigint not null default 0,
  add column monthly_cost bigint not null default 0;

-- Nodes read the low credit, too.
drop trigger note_updated on account;
create trigger note_updated after update on account referencing old table as old_rows new table as new_rows for each statement execute function note_changed_rows('account', 'id', 'created_at');
