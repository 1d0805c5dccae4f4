// The real command, killed with SIGKILL in the middle of its work and started again on the same
// data folder: nothing that was answered is lost, and the money is right. What is sent twice under
// each policy is counted by the cases kill-gateway-… of `npm run faults`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type SimulatedSmsc, startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { findRunningPostgres } from "../../src/postgres/embedded-postgres.ts";
import { insertRows } from "../../src/store/campaign-rows.ts";
import { addToDraft, findCampaign, insertCampaign, startCampaign } from "../../src/store/campaigns.ts";
import { Database } from "../../src/store/database.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "../support/database.ts";
import { type AnswerBody, keys, recipientOf } from "../support/gateway.ts";
import { baseSetup, openingCredit } from "../support/gateway-setup.ts";
import { folderOfEarlierStart } from "../support/prepared-folder.ts";
import { applyDocument } from "../support/apply-document.ts";

const program = path.join(import.meta.dirname, "../../bin/hodhod");
/** Ends what hangs; nothing is asserted by it. */
const deadlineMs = 60_000;

/** A process that tells this one nothing of itself but its answers is asked now and then. */
const patiently = { timeout: deadlineMs, interval: 50 };

const copyFolder = folderOfEarlierStart();

class ServeProcess {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "hodhod-crash-"));
  readonly #dataDir = path.join(this.#folder, "data");
  readonly #logLevel: string;
  #child: ChildProcess | undefined;
  url = "";
  output = "";

  constructor(logLevel: string) {
    this.#logLevel = logLevel;
  }

  /** Waits until it listens. */
  async start(): Promise<void> {
    if (!existsSync(this.#dataDir)) await copyFolder(this.#dataDir);
    const { PATH = "" } = process.env;
    const env = { PATH, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: this.#logLevel, HODHOD_DATA_DIR: this.#dataDir };
    const child = spawn(process.execPath, [program, "serve"], { env, cwd: this.#folder });
    this.#child = child;
    this.url = await new Promise<string>((resolve, reject) => {
      let written = "";
      let isListening = false;
      const read = (text: string): void => {
        this.output += text;
        if (isListening) return;
        written += text;
        const listening = /listening on (http\S+)/.exec(written);
        if (listening?.[1] === undefined) return;
        isListening = true;
        resolve(listening[1]);
      };
      child.stdout.setEncoding("utf8").on("data", read);
      child.stderr.setEncoding("utf8").on("data", read);
      child.once("exit", () => reject(new Error(`serve ended: ${written}`)));
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  /** SIGTERM; answers the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = once(child, "exit") as Promise<[number | null]>;
    child.kill("SIGTERM");
    return (await ended)[0];
  }

  async withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const server = await findRunningPostgres(this.#dataDir);
    const db = Database.open({ url: server?.url ?? "", poolSize: 2 });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  }

  async apply(setup: object): Promise<void> {
    const text = JSON.stringify(setup);
    await this.withDatabase((db) => applyDocument(db, text));
    // Running nodes follow within a second.
    await vi.waitFor(
      async () => expect((await this.call("GET", "account/balance")).balance).toBe("100,000,000"),
      patiently,
    );
  }

  async call(method: string, callPath: string, body?: object): Promise<AnswerBody> {
    const response = await fetch(`${this.url}/${callPath}`, {
      method,
      headers: { "x-api-key": keys.demo, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as AnswerBody;
  }

  async statuses(ids: readonly string[]): Promise<readonly (number | undefined)[]> {
    const { messages = [] } = await this.call("POST", "messages/status", { sentMessageIds: ids });
    return messages.map(({ messageStatus }) => messageStatus);
  }

  databaseLog(): string {
    return readFileSync(path.join(this.#dataDir, "postgres.log"), "utf8");
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function withServe(
  flow: (serve: ServeProcess, smsc: SimulatedSmsc) => Promise<void>,
  logLevel = "warn",
): Promise<void> {
  const smsc = await startSimulatedSmsc({ receiptDelayMs: 20, retryDelayMs: 50 });
  const serve = new ServeProcess(logLevel);
  try {
    await serve.start();
    const bound = smsc.next("bind");
    await serve.apply(baseSetup([smsc.port], {}));
    await bound;
    await flow(serve, smsc);
  } finally {
    await serve.remove();
    await smsc.stop("destroy");
  }
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => recipientOf("5001", index));
const timesSeen = (smsc: SimulatedSmsc, recipient: string): number =>
  smsc.submitted.filter((message) => message.recipient.address === `98${recipient.slice(1)}`).length;

/** A campaign to these numbers, already started. */
async function startCampaignOf(db: Database, id: string, recipients: readonly string[]): Promise<void> {
  const [account] = await db.query<{ id: number }>(statement("select id from account where name = 'demo'"));
  const accountId = account?.id ?? 0;
  const texts = { sender: "10001234", content: "سلام", templateId: null, columns: [] };
  const campaign = { id, accountId, name: "Autumn", createdBy: "demo", skipDuplicates: true, ...texts };
  await db.transaction(async (tx) => {
    await insertCampaign(tx, campaign, { drafts: 10, rows: 1_000_000 });
    const rows = recipients.map((recipient, index) => ({
      number: index + 1,
      fileRow: index + 1,
      recipient: `98${recipient.slice(1)}`,
      given: [],
      duplicateOf: null,
      fault: null,
    }));
    await insertRows(tx, id, rows);
    const nothing = { faulty: 0, blocked: 0, duplicates: 0, parts: 0n, cost: 0n, costly: [] };
    await addToDraft(tx, id, { rows: recipients.length, ...nothing });
    await startCampaign(tx, id, undefined);
  });
}

async function untilCampaign(
  serve: ServeProcess,
  id: string,
  fits: (campaign: { readonly state: string; readonly fed: number }) => void,
): Promise<void> {
  await serve.withDatabase((db) =>
    vi.waitFor(async () => {
      const found = await findCampaign(db, { id, accountId: undefined });
      fits({ state: found?.state ?? "", fed: found?.fed ?? 0 });
    }, patiently),
  );
}

describe("killed with SIGKILL", () => {
  it.concurrent("in the middle of a campaign, twice: each of its rows is accepted, charged and sent exactly once", () =>
    withServe(async (serve) => {
      const id = uuidv7();
      const count = 1000;
      await serve.withDatabase((db) => startCampaignOf(db, id, numbers(count)));
      for (const least of [1, 700]) {
        await untilCampaign(serve, id, ({ fed }) => expect(fed).toBeGreaterThanOrEqual(least));
        await serve.kill();
        await serve.start();
      }
      await untilCampaign(serve, id, ({ state }) => expect(state).toBe("done"));
      const [truth] = await serve.withDatabase((db) =>
        db.query<object>(
          statement(
            `select count(*)::int as messages, count(distinct recipient)::int as recipients,
                    (select count(distinct r.message_id)::int from campaign_row r join message m on m.id = r.message_id
                      where r.campaign_id = $1 and m.recipient = r.recipient) as rows,
                    (select accepted from campaign where id = $1) as accepted,
                    sum(cost) = (select cost from campaign where id = $1) as "costAgrees",
                    -sum(cost) = (select sum(amount) from ledger_entry where kind = 'charge') as "chargeAgrees"
               from message`,
            [id],
          ),
        ),
      );
      expect(truth).toEqual({
        messages: count,
        recipients: count,
        rows: count,
        accepted: count,
        costAgrees: true,
        chargeAgrees: true,
      });
    }),
  );

  it.concurrent(
    "case 3, 54: in the middle of a burst of calls: each that was answered 200 is kept, charged once, and delivered",
    () =>
      withServe(async (serve, smsc) => {
        const answered: string[] = [];
        const send = async (recipientNumber: string): Promise<void> => {
          const body = { senderNumber: "10001234", recipientNumber, content: "سلام" };
          const { message } = await serve.call("POST", "messages/send", body);
          if (message?.sentMessageId !== undefined) answered.push(message.sentMessageId);
          if (answered.length === 60) await serve.kill();
        };
        await Promise.allSettled(numbers(200).map(send));
        expect(answered.length).toBeGreaterThanOrEqual(60);
        await serve.start();
        const kept = answered.slice(0, 100);
        await vi.waitFor(async () => expect(await serve.statuses(kept)).toEqual(kept.map(() => 2)), patiently);
        await serve.withDatabase(async (db) => {
          const [truth] = await db.query<{ messages: bigint; charged: bigint; balance: bigint; lost: bigint }>(
            statement(
              `select count(*) as messages, coalesce(sum(cost), 0)::bigint as charged, count(*) filter (where status = 0
                        and not exists (select from message_queue q where q.message_id = m.id)
                        and not exists (select from claim c where m.id = any(c.message_ids))) as lost,
                      (select balance from account_balance b join account a on a.id = b.account_id where a.name = 'demo') as balance
                 from message m`,
            ),
          );
          expect(truth?.messages).toBeGreaterThanOrEqual(BigInt(answered.length));
          expect(truth?.lost).toBe(0n);
          expect(truth?.balance).toBe(openingCredit - (truth?.charged ?? 0n));
        });
        for (const recipient of numbers(200)) expect(timesSeen(smsc, recipient)).toBeLessThanOrEqual(2);
      }),
  );
});

describe("ended with SIGTERM", () => {
  it.concurrent("case 29, 56: exits with 0 after draining, and its log holds no key, password, text or number", () =>
    withServe(async (serve, smsc) => {
      const content = "a secret text of the caller";
      const query = new URLSearchParams({
        apiKey: keys.demo,
        senderNumber: "10001234",
        recipientNumber: recipientOf("5002"),
        content,
      });
      await serve.call("GET", `api/v1/messages/send/url?${query.toString()}`);
      await vi.waitFor(() => expect(smsc.counters.receiptsAcknowledged).toBe(1), patiently);
      expect(await serve.stop()).toBe(0);
      expect(serve.output).toContain('"level":"debug"');
      for (const written of [serve.output, serve.databaseLog()]) {
        for (const secret of [keys.demo, content, "secret-7", recipientOf("5002").slice(1)])
          expect(written.includes(secret), `"${secret}" was written`).toBe(false);
      }
    }, "trace"),
  );
});
