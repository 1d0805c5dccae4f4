-- safe
-- Which configuration each node works by, so that whoever changes it can wait for all of them. Nodes that only take calls are entered
-- here, too; they have no share in binds.
alter table node
  add column configuration_version bigint, -- null: a node of an older version, which does not say
  add column dispatches boolean not null default true,
  add column pid integer;
