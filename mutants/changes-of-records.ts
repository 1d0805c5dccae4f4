// Changes to replies of inbound rules and reviews, to what is erased, and to who reads what of
// opt-outs and events.
import type { Change } from "./change.ts";

const log = ["store/event-log.test.ts"];
const replies = ["intake/send-replies.test.ts"];
const review = ["intake/decide-review.test.ts"];
const person = ["maintenance/erase-person.test.ts"];
const texts = ["maintenance/erase-texts.test.ts"];
const follower = ["directory/opt-out-follower.test.ts"];

export const changesOfRecords: readonly Change[] = [
  {
    name: "number-alone-is-read-by-index",
    file: "store/messages-to-number.ts",
    from: "(id >= ${from}) is true",
    to: "id >= ${from}",
  },
  {
    name: "week-is-over-on-every-clock",
    file: "store/partitions.ts",
    from: "const clockToleranceMs = 3600 * 1000;",
    to: "const clockToleranceMs = 0;",
    tests: ["store/background-indexes.test.ts"],
  },
  {
    name: "three-replies-an-hour",
    file: "sms/replies.ts",
    from: "sentThisHour >= mostRepliesAnHour",
    to: "sentThisHour > mostRepliesAnHour",
  },
  {
    name: "machines-that-answer-each-other",
    file: "sms/replies.ts",
    from: "sameTexts >= sameTextsOfMachine",
    to: "sameTexts > sameTextsOfMachine",
  },
  {
    name: "no-reply-to-a-stop-word",
    file: "sms/replies.ts",
    from: " || words.read(text) !== undefined",
    to: "",
  },
  {
    name: "prefix-ends-with-its-word",
    file: "sms/inbound-rules.ts",
    from: "folded.startsWith(prefix) && isWordEnd(folded, prefix.length)",
    to: "folded.startsWith(prefix)",
  },
  {
    name: "reply-of-one-pair-at-a-time",
    file: "intake/send-replies.ts",
    from: "(!seen.has(pair) && seen.add(pair))",
    to: "seen.add(pair)",
  },
  {
    name: "reply-after-the-answer",
    file: "store/inbound-replies.ts",
    from: "where p.id = any (r.part_ids) and not p.confirmed",
    to: "where p.id = any (r.part_ids) and false",
    tests: replies,
  },
  {
    name: "reply-that-a-dead-node-owes",
    file: "store/inbound-replies.ts",
    from: "on n.id = p.carried_by and n.lease_until > now()",
    to: "on n.id = p.carried_by",
    tests: replies,
  },
  {
    name: "replies-that-count-are-kept",
    file: "store/inbound-replies.ts",
    from: "content is null and asked_at < now() - interval '1 hour' - make_interval(mins => $1)",
    to: "content is null and asked_at < now() - interval '1 hour' + make_interval(mins => $1)",
    tests: replies,
  },
  {
    name: "allowed-at-its-time",
    file: "store/review.ts",
    from: "greatest(m.send_at, now()) as due_at",
    to: "now() as due_at",
    tests: review,
  },
  {
    name: "erased-too-early",
    file: "store/erasure.ts",
    from: "as nth from found where final_at <= $4",
    to: "as nth from found where final_at is not null",
    tests: texts,
  },
  {
    name: "codes-have-their-own-time",
    file: "store/erasure.ts",
    from: " and (${sendsCode}) = $3",
    to: " and $3::boolean is not null",
    tests: texts,
  },
  {
    name: "waiting-message-keeps-its-number",
    file: "store/erase-person.ts",
    from: "and m.recipient = $1 and m.status <> ${messageStatus.waiting}",
    to: "and m.recipient = $1",
    tests: person,
  },
  {
    name: "receipts-of-an-erased-person",
    file: "store/erase-person.ts",
    from: "update receipt r set content = ''",
    to: "update receipt r set content = r.content",
    tests: person,
  },
  {
    name: "row-whose-message-waits",
    file: "store/erase-person.ts",
    from: "     and (select m.status from message m where m.account_id = c.account_id and m.id = r.message_id) is distinct from ${messageStatus.waiting}\n",
    to: "",
    tests: person,
  },
  {
    name: "own-entry-is-not-anothers",
    file: "store/opt-outs.ts",
    from: "delete from opt_out where line = $2 and number = $3 and account_id = $1 returning 1",
    to: "delete from opt_out where line = $2 and number = $3 and account_id is not null and $1::int > 0 returning 1",
    tests: ["http/opt-outs/change-opt-outs.test.ts"],
  },
  {
    name: "entries-of-other-accounts",
    file: "store/opt-outs.ts",
    from: "and ($3::text is null or o.number = $3) and (o.account_id is null or o.account_id = $1)",
    to: "and ($3::text is null or o.number = $3) and (o.account_id is null or $1::int > 0)",
    tests: ["http/opt-outs/list-opt-outs.test.ts"],
  },
  {
    name: "line-of-another-account",
    file: "http/opt-outs/change-opt-outs.ts",
    from: 'if (line === undefined) throw new ApiError("senderNotInAccount");\n  return line.number;',
    to: 'return line?.number ?? cleanNumber(given, "json");',
  },
  {
    name: "opt-out-that-commits-late",
    file: "store/opt-out-changes.ts",
    from: "xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot)",
    to: "xid >= pg_snapshot_xmax($1::pg_snapshot)",
    tests: follower,
  },
  {
    name: "many-opt-outs-at-once",
    file: "store/opt-out-changes.ts",
    from: 'if (isMany) return { position, changed: "all" };',
    to: "",
    tests: follower,
  },
  {
    name: "event-that-commits-late",
    file: "store/event-log.ts",
    from: "position >= $1 and position < c.complete and (position, type, subject_id) > ($1, $2::smallint, $3::uuid)\n     order",
    to: "position >= $1 and (position, type, subject_id) > ($1, $2::smallint, $3::uuid)\n     order",
    tests: log,
  },
  {
    name: "rules-judge-late-messages",
    file: "maintenance/assign-received.ts",
    from: "if (directory.inboundRules.hasRulesOf(line))",
    to: 'if (line === "" && directory.inboundRules.hasRulesOf(line))',
  },
  {
    name: "page-looks-at-a-bounded-number",
    file: "store/event-log.ts",
    from: "limit $13) looked",
    to: "limit $13 + 1000000) looked",
    tests: ["store/event-log-plans.test.ts"],
  },
  {
    name: "page-that-ends-early-is-not-the-end",
    file: "store/event-log.ts",
    from: "where is_wanted or place = $13",
    to: "where is_wanted",
    tests: log,
  },
  {
    name: "events-of-another-account",
    file: "store/event-log.ts",
    from: "any ($3::uuid[]) and e.account_id = $1 and",
    to: "any ($3::uuid[]) and $1::int > 0 and",
    tests: [...log, "http/webhooks/replay-events.test.ts"],
  },
  {
    name: "status-that-was-true-then",
    file: "events/tell-events.ts",
    from: 'type === "message.unreported" ? messageStatus.sent : eventTypeNumber(type)',
    to: "eventTypeNumber(type)",
    tests: ["http/webhooks/list-events.test.ts"],
  },
  {
    name: "failed-message-was-never-sent",
    file: "events/tell-events.ts",
    from: "return { ...then, sentAt: null, finalAt: at };",
    to: "return { ...then, finalAt: at };",
    tests: ["http/webhooks/list-events.test.ts"],
  },
  {
    name: "disabled-endpoint-wants-for-a-time",
    file: "store/endpoint-wants.ts",
    from: "(endpoint.disabledAt?.getTime() ?? 0) > since",
    to: "(endpoint.disabledAt?.getTime() ?? 0) < 0",
    tests: ["http/webhooks/replay-events.test.ts", "setup/change-endpoints.test.ts"],
  },
  {
    name: "reader-that-did-not-come-back",
    file: "store/wanted-events.ts",
    from: "where read_until < now() returning account_id",
    to: "where read_until > now() returning account_id",
    tests: log,
  },
  {
    name: "number-of-another-list",
    file: "store/block-lists.ts",
    from: "ownerId === listId && holdsNumber",
    to: "holdsNumber",
    tests: ["http/console/block-lists.test.ts"],
  },
  {
    name: "age-of-who-holds-the-log",
    file: "store/events-behind.ts",
    from: 'pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as "isHeld"',
    to: 'false as "isHeld"',
    tests: ["maintenance/measure-events-behind.test.ts"],
  },
];
