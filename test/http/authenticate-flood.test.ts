// Floods of wrong passwords over real sockets, with the user whom they are about beside them.
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { demoUser, openTestApi, type TestApi } from "../support/test-api.ts";

/**
 * A user is promised 3 s (cases `guess-…` of `npm run faults`). Here the guessers share a process
 * with the gateway, on a machine that may be many times slower.
 */
const patienceMs = 30_000;
const computationMs = 5;

let gate: Promise<void>;

let api: TestApi;
let now: number;
let port: number;

beforeEach(async () => {
  now = Date.now();
  gate = Promise.resolve();
  api = await openTestApi(
    { HODHOD_TRUST_PROXY: "127.0.0.1" },
    {
      wait: (ms) => delay(ms),
      now: () => now,
      verify: async (_hash, password) => {
        await gate;
        return delay(computationMs, password === demoUser.password);
      },
    },
  );
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  port = (api.app.server.address() as AddressInfo).port;
});

afterEach(() => api.close());

interface Attempt {
  readonly userName: string;
  readonly password: string;
  readonly address: string;
}

/** The status of a login at auth/token, by the address that a trusted proxy names. */
async function issueToken(agent: Agent, { userName, password, address }: Attempt): Promise<number> {
  const body = JSON.stringify({ userName, password, domain: demoUser.domain });
  return statusOf(agent, { method: "POST", path: "/auth/token", address, body });
}

/**
 * The status of a call by the parameters username, password and domain; 400 when it was let in,
 * since it sends nothing.
 */
async function callByUrl(agent: Agent, { userName, password, address }: Attempt): Promise<number> {
  const query = new URLSearchParams({ username: userName, password, domain: demoUser.domain });
  return statusOf(agent, { method: "GET", path: `/api/v1/messages/send/url/credentials?${query.toString()}`, address });
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly address: string;
  readonly body?: string;
}

async function statusOf(agent: Agent, { method, path, address, body = "" }: Call): Promise<number> {
  const headers = { "x-forwarded-for": address, "content-length": Buffer.byteLength(body) };
  const call = request({ port, host: "127.0.0.1", method, path, agent, headers }).end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response.statusCode ?? 0;
}

/** So many connections that guess without end. `stop` answers how often each status came. */
function guessing(connections: number, guess: (agent: Agent, connection: number, round: number) => Promise<number>) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const counts: Record<number, number> = {};
  let going = true;
  const work = Array.from({ length: connections }, async (_, connection) => {
    for (let round = 0; going; round += 1) {
      const status = await guess(agent, connection, round).catch(() => 0);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  const answered = async (times: number): Promise<void> => {
    while (Object.values(counts).reduce((sum, count) => sum + count, 0) < times) await delay(20);
  };
  const stop = async () => {
    going = false;
    await Promise.all(work);
    agent.destroy();
    return counts;
  };
  return { answered, stop };
}

/**
 * Logs the right user in from each of the addresses, and answers the statuses; 0 for one that came
 * too late.
 */
async function logInFrom(login: typeof issueToken, addresses: readonly string[]): Promise<number[]> {
  const statuses = [];
  for (const address of addresses) {
    const late = delay(patienceMs, 0, { ref: false });
    statuses.push(await Promise.race([login(new Agent(), { ...demoUser, address }), late]));
    // What was found right is remembered for a minute.
    now += 61_000;
  }
  return statuses;
}

const ways = [
  ["auth/token", issueToken, 200],
  ["the URL credentials", callByUrl, 400],
] as const;

describe.each(ways)("by %s", (_, login, welcome) => {
  it("450 connections that guess for one name from nine addresses lock nobody out", async () => {
    const flood = guessing(450, (agent, connection, round) => {
      const password = `guess ${connection} ${round}`;
      return login(agent, { userName: demoUser.userName, password, address: `203.0.113.${connection % 9}` });
    });
    await flood.answered(450);
    const logins = await logInFrom(login, ["198.51.100.1", "198.51.100.2"]);
    const counts = await flood.stop();
    expect(logins).toEqual([welcome, welcome]);
    expect(counts[401] ?? 0).toBeGreaterThan(0);
  });

  it("320 connections that guess for fresh names from fresh addresses do not lock out whoever logged in before", async () => {
    const address = "198.51.100.9";
    await logInFrom(login, [address]);
    let guesses = 0;
    const flood = guessing(320, (agent) => {
      guesses += 1;
      const from = `203.${(guesses >> 16) & 255}.${(guesses >> 8) & 255}.${guesses & 255}`;
      return login(agent, { userName: `name ${guesses}`, password: `guess ${guesses}`, address: from });
    });
    await flood.answered(40);
    const logins = await logInFrom(login, [address, address]);
    await flood.stop();
    expect(logins).toEqual([welcome, welcome]);
  });
});

// At auth/token the rate of logins comes first.
describe("by the URL credentials, which have no rate of logins", () => {
  it("guesses for which an address has no room are refused and slowed down, and others are not", async () => {
    const agent = new Agent();
    let open = (): void => undefined;
    gate = new Promise((resolve) => (open = resolve));
    let refused = 0;
    const guess = async (index: number) => {
      const begunAt = performance.now();
      // A lane is that of the whole /64.
      const attempt = { userName: `name ${index}`, password: `guess ${index}`, address: `2001:db8:1:2::${index}` };
      const status = await callByUrl(agent, attempt);
      if (status === 503) refused += 1;
      // As many as have no room: two are computed and 100 wait.
      if (refused === 48) open();
      return { status, ms: performance.now() - begunAt };
    };
    const answers = await Promise.all(Array.from({ length: 150 }, (_, index) => guess(index)));
    const times = answers.filter(({ status }) => status === 503).map(({ ms }) => ms);
    expect(times).toHaveLength(48);
    expect(Math.max(...times)).toBeGreaterThan(1_900);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(102);
  });
});
