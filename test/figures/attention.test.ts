import { describe, expect, it } from "vitest";
import { findAttention, type Seen } from "../../src/figures/attention.ts";

const calm: Seen = {
  oldestCodeSeconds: 9,
  oldestOtherSeconds: 59,
  connectors: [{ name: "mci-1", enabled: true, paused: false, binds: [{}], submitted: 1000, unanswered: 10 }],
  routes: [],
  waits: [],
  nodes: [{ host: "a", silentSeconds: 3 }],
  falls: [],
  lowCredit: [],
  waitingTemplates: 0,
  inReview: 0,
};
const connector = { name: "mci-1", enabled: true, paused: false, binds: [{}], submitted: 0, unanswered: 0 };
const other = { ...connector, name: "mci-2" };
const route = { operator: "MCI", line: "*", connectors: ["mci-1", "mci-2"] };
const unbound = { kind: "connectorUnbound", name: "mci-1" } as const;

describe("attention", () => {
  it("is on nothing below the limits", () => {
    expect(findAttention(calm)).toEqual([]);
  });

  it.each<[Partial<Seen>, object]>([
    [{ oldestCodeSeconds: 10 }, { kind: "codesWait", seconds: 10 }],
    [{ oldestOtherSeconds: 60 }, { kind: "messagesWait", seconds: 60 }],
    [
      { connectors: [{ ...connector, unboundSeconds: 60 }] },
      { ...unbound, seconds: 60, messages: "unrouted", count: 0 },
    ],
    [
      { connectors: [{ ...connector, unboundSeconds: 8 }, other], routes: [route] },
      { ...unbound, seconds: 8, messages: "otherConnector", count: 0 },
    ],
    [
      {
        connectors: [
          { ...connector, unboundSeconds: 8, lastError: "ESME_RINVPASWD" },
          { ...other, enabled: false },
        ],
        routes: [route],
        waits: [
          { kind: "down", connectors: ["mci-1"], messages: 1 },
          { kind: "paused", connectors: ["mci-1"], messages: 10 },
        ],
      },
      { ...unbound, seconds: 8, messages: "wait", count: 1, lastError: "ESME_RINVPASWD" },
    ],
    [
      {
        connectors: [{ ...connector, unboundSeconds: 8 }, other],
        routes: [route, { ...route, operator: "*", connectors: ["mci-1"] }],
      },
      { ...unbound, seconds: 8, messages: "wait", count: 0 },
    ],
    [
      { connectors: [{ ...connector, unboundSeconds: 8, binds: [] }] },
      { ...unbound, kind: "connectorNoNode", seconds: 8, messages: "unrouted", count: 0 },
    ],
    [
      {
        connectors: [
          { ...connector, paused: true },
          { ...other, enabled: false },
        ],
        routes: [route],
        waits: [{ kind: "paused", connectors: ["mci-1"], messages: 10 }],
      },
      { kind: "connectorPaused", name: "mci-1", messages: "wait", count: 10 },
    ],
    [{ connectors: [{ ...connector, enabled: false }], routes: [route] }, { kind: "noConnector" }],
    [
      {
        connectors: [connector, { ...other, enabled: false }],
        routes: [{ ...route, connectors: ["mci-2"] }],
      },
      { kind: "routeOff", operator: "MCI", line: "*" },
    ],
    [
      { connectors: [{ ...connector, submitted: 1000, unanswered: 11 }] },
      { kind: "unanswered", name: "mci-1", submitted: 1000, unanswered: 11 },
    ],
    [
      { falls: Array(2).fill({ by: "operator", name: "MCI", points: 12, share: 80 }) },
      { kind: "deliveryFell", by: "operator", name: "MCI", points: 12, share: 80 },
    ],
    [{ nodes: [{ host: "a", silentSeconds: 10 }] }, { kind: "nodeSilent", name: "a", seconds: 10 }],
    [{ nodes: [{ host: "a", silentSeconds: 1, leaseLostSeconds: 20 }] }, { kind: "leaseLost", name: "a", seconds: 20 }],
    [{ nodes: [{ host: "a", silentSeconds: 1, clockOffSeconds: 90 }] }, { kind: "clockOff", name: "a", seconds: 90 }],
    [
      { lowCredit: [{ account: "demo", balance: 5, limit: 9 }] },
      { kind: "lowCredit", name: "demo", balance: 5, limit: 9 },
    ],
    [{ inReview: 3 }, { kind: "reviewWaits", count: 3 }],
    [{ inReview: 10_000 }, { kind: "reviewWaits", count: 10_000, isAtLeast: true }],
    [{ waitingTemplates: 2 }, { kind: "templatesWait", count: 2 }],
  ])("is on %j", (change, found) => {
    expect(findAttention({ ...calm, ...change })).toEqual([found]);
  });

  it("is not on a connector that is switched off", () => {
    const off = { ...connector, enabled: false, unboundSeconds: 600, submitted: 10, unanswered: 10 };
    expect(findAttention({ ...calm, connectors: [off, other], routes: [route] })).toEqual([]);
  });

  it("names a machine whose clock is off once, however many workers it has", () => {
    const node = { host: "a", silentSeconds: 1, clockOffSeconds: 90 };
    expect(findAttention({ ...calm, nodes: [node, node] })).toHaveLength(1);
  });

  it("names codes before everything else", () => {
    const seen = { ...calm, oldestCodeSeconds: 11, oldestOtherSeconds: 70, waitingTemplates: 1 };
    expect(findAttention(seen).map(({ kind }) => kind)).toEqual(["codesWait", "messagesWait", "templatesWait"]);
  });
});
