-- safe
-- An index by recipient that was built on an empty part has a summary of the part's first blocks, and nearly each message that fills them writes
-- this summary of 2 KB anew. Parts that have not filled them yet lose it; it comes back when the next blocks begin (src/store/recipient-index.ts).
select brin_desummarize_range(part.indexrelid, 0)
  from pg_inherits i join pg_index part on part.indexrelid = i.inhrelid
 where i.inhparent = 'message_by_recipient'::regclass
   and pg_relation_size(part.indrelid) < 64 * current_setting('block_size')::integer;
