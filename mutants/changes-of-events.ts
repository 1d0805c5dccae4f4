// Changes to the log of events, to what is sent to endpoints, and to replies of inbound rules.
import type { Change } from "./change.ts";

export const changesOfEvents: readonly Change[] = [
  {
    name: "page-ends-behind-what-it-knows",
    file: "store/event-log.ts",
    from: "const last = found.at(-1);",
    to: "const last = found.filter(({ type }) => eventTypeOf(type) !== undefined).at(-1);",
  },
  {
    name: "failure-is-stored-before-disabling",
    file: "webhooks/outcome-judge.ts",
    from: "    this.#store(lane, open, dueMs);\n    if (disabled",
    to: "    if (disabled === undefined) this.#store(lane, open, dueMs);\n    if (disabled",
    tests: ["webhooks/event-sender.test.ts"],
  },
  {
    name: "endpoint-that-could-not-be-disabled-goes-on",
    file: "webhooks/outcome-judge.ts",
    from: "      lane.isBeingDisabled = false;\n",
    to: "",
    tests: ["webhooks/event-sender.test.ts"],
  },
  {
    name: "fewer-retries-wake-their-endpoint",
    file: "webhooks/outcome-judge.ts",
    from: "      lane.retries.deleted(requestId);\n      // An endpoint with too many of them gets nothing else until they become fewer.\n      this.#options.onMore(lane);\n",
    to: "      lane.retries.deleted(requestId);\n",
    tests: ["webhooks/outcome-saver.test.ts"],
  },
  {
    name: "places-that-could-not-be-read",
    file: "webhooks/event-sender.ts",
    from: "    this.#isStale = true;\n    const wanted",
    to: "    const wanted",
  },
  {
    name: "what-waited-for-the-lease",
    file: "webhooks/event-sender.ts",
    from: "isLeaseHeld) {\n      this.#isStale = true;",
    to: "isLeaseHeld) {",
  },
  {
    name: "round-looks-after-what-stands-still",
    file: "webhooks/webhook-service.ts",
    from: "if (this.sender.isStale) await this.sender.reconcile();",
    to: "",
    tests: ["webhooks/event-sender.test.ts"],
  },
  {
    name: "outcomes-wait-for-who-changes-an-endpoint",
    file: "store/webhook-requests.ts",
    from: " for share skip locked",
    to: " for share",
    tests: ["webhooks/outcome-saver.test.ts"],
  },
  {
    name: "unsaved-outcomes-are-kept",
    file: "webhooks/outcome-saver.ts",
    from: "if (busy.size > 0) this.#putBack(only(taken, isBusy));",
    to: "",
  },
  {
    name: "saved-is-told-when-it-is-saved",
    file: "webhooks/outcome-saver.ts",
    from: "if (!isBusy(listener)) listener.onSaved();",
    to: "listener.onSaved();",
  },
  {
    name: "split-locks-the-endpoint-first",
    file: "store/webhook-requests.ts",
    from: " for key share)",
    to: ")",
    tests: ["webhooks/outcome-saver.test.ts"],
  },
  {
    name: "writes-of-a-node-without-the-slot",
    file: "store/webhook-progress.ts",
    from: " and l.node_id = ${nodeId}\n    join node n",
    to: "\n    join node n",
  },
  {
    name: "balances-of-replies-in-one-order",
    file: "intake/send-replies.ts",
    from: "if (wanted.length > 0) await lockBalances(",
    to: "if (wanted.length < 0) await lockBalances(",
    tests: ["intake/send-replies-locks.test.ts"],
  },
  {
    name: "few-replies-with-limits-at-once",
    file: "intake/send-replies.ts",
    from: "const limitedAtOnce = 10;",
    to: "const limitedAtOnce = 1000;",
    tests: ["intake/send-replies-locks.test.ts"],
  },
  {
    name: "end-of-a-counting-locks-the-balance-first",
    file: "store/account-usage.ts",
    from: "   order by b.account_id for update of b)",
    to: ")",
    tests: ["intake/send-replies-locks.test.ts"],
  },
];
