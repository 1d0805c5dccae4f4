-- safe
-- Keys of the setup file: a connector that is paused keeps its binds and submits nothing; below its low credit an account is told to staff;
-- the zone of the days of reports.
alter table connector add column paused boolean not null default false;
alter table account add column low_credit bigint not null default 0;
alter table configuration add column time_zone text not null default 'Asia/Tehran';
