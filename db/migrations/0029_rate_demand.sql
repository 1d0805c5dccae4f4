-- safe
-- How many calls of accounts with requestsPerSecond each process gets, told each second: the limit
-- holds over all gateways together (src/store/rate-demand.ts). Nothing here outlives a minute.
create unlogged table rate_demand (
  account_id int not null,
  process_id uuid not null,
  gateway_id uuid not null,
  per_second double precision not null,
  told_at timestamptz not null,
  primary key (account_id, process_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
