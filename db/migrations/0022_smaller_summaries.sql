-- safe
-- Vacuum frees room on pages that have their summary. A message that comes there writes the summary anew, so summaries are a fourth as large
-- (docs/decisions/0020-messages-by-recipient.md). Only on the parent, which is done in a moment: the parts that stand get theirs one by one,
-- without a lock that writers wait for (src/store/background-indexes.ts). Until then a search reads them completely.
drop index message_by_recipient;
create index message_by_recipient on only message
  using brin (recipient text_bloom_ops (n_distinct_per_range = 330, false_positive_rate = 0.005)) with (pages_per_range = 16, autosummarize = on);
