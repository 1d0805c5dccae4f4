-- safe
-- Serve the lists of all accounts, which walk back in time (src/store/message-lists.ts, received-lists.ts). Ids carry their time, and rows lie
-- nearly in that order, but for those that came where vacuum had freed room: hence several ranges a summary, and few, for it is written anew for
-- these. Only on the parent, which is done in a moment: the parts that stand get theirs one by one, without a lock that writers wait for, and so
-- do received messages (src/store/background-indexes.ts).
create index message_by_id on only message using brin (id uuid_minmax_multi_ops (values_per_range = 8)) with (pages_per_range = 64, autosummarize = on);
