-- safe
-- Serves findMessagesTo: all messages to one number, whosever they are. A summary of 64 pages at a time costs an accepted message 1 µs, where a
-- btree costs 22 (docs/decisions/0020-messages-by-recipient.md). Only on the parent, which is done in a moment: the parts that stand get theirs one by
-- one, without a lock that writers wait for (src/store/recipient-index.ts).
create index message_by_recipient on only message
  using brin (recipient text_bloom_ops (n_distinct_per_range = 1300, false_positive_rate = 0.005)) with (pages_per_range = 64, autosummarize = on);
