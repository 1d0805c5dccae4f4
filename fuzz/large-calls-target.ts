// Calls of the console that ask for much work: campaigns with many rows and long texts, until their
// rows are accepted, and long lists of blocked numbers. None keeps other callers waiting, and none
// is a 500.
import { setTimeout as sleep } from "node:timers/promises";
import { withoutHolding } from "./event-loop.ts";
import { openGateway, type RunningGateway } from "./gateway.ts";
import { exchange, jsonCall, type HttpAnswer } from "./http-exchange.ts";
import { mutateText, oddTexts } from "./mutate.ts";
import type { Random } from "./random.ts";
import { credentials } from "../test/support/gateway-setup.ts";
import { defineTarget, demand, Finding, type Subject, type Surroundings, type Target } from "./target.ts";
import { writeExpression, type Value } from "./value.ts";

interface LargeInput {
  readonly [key: string]: Value;
  readonly content: string;
  /** Of the content. */
  readonly repeated: number;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly value: string;
  readonly blocked: number;
}

const contents = ["{a}", "{a}{b} ", "سلام {a}", "Hello", "{c}"];
const answerMs = 10_000;
const feedMs = 10_000;

function generate(random: Random): LargeInput {
  const content = random.pick(contents);
  return {
    content: random.chance(0.3) ? mutateText(random, content, random.pick(oddTexts)) : content,
    repeated: random.pick([1, 10, 500, 1_300, 100_000]),
    columns: random.pick([[], ["a"], ["a", "b"]]),
    rows: random.pick([1, 100, 300, 1_000]),
    value: random.pick([...oddTexts, "x", "س"]).repeat(random.pick([1, 50, 100, 500, 900])),
    blocked: random.chance(0.1) ? random.pick([1, 10_000, 60_000]) : 0,
  };
}

const number = (index: number): string => `0912${String(index).padStart(7, "0")}`;
const listOf = <Item>(length: number, item: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => item(index));

class LargeCalls implements Subject<LargeInput> {
  readonly #running: RunningGateway;
  readonly #counts = new Map<number, number>();
  #cookie = "";

  static async open({ databaseServer }: Surroundings): Promise<LargeCalls> {
    const subject = new LargeCalls(await openGateway({ databaseServer, operatorPorts: [1] }));
    const { username, password, domain: organisation } = credentials;
    const { headers } = await subject.#call("POST", "/session", { username, password, organisation });
    subject.#cookie = headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    return subject;
  }

  private constructor(running: RunningGateway) {
    this.#running = running;
  }

  async check(input: LargeInput): Promise<void> {
    let id: string | undefined;
    await withoutHolding(
      () => this.#feed(id),
      async () => (id = await this.#draft(input)),
    );
    if (input.blocked === 0) return;
    const path = "/accounts/demo/addresses";
    const etag = (await this.#call("GET", path)).headers.get("etag") ?? "";
    await this.#call("PUT", path, { allowedIps: [], blockedRecipients: listOf(input.blocked, number) }, etag);
  }

  /** Answers the id of the campaign, if it is taken. */
  async #draft({ content, repeated, columns, rows, value }: LargeInput): Promise<string | undefined> {
    await this.#query("delete from campaign");
    // Nobody sends them, and rows of campaigns wait while many messages do.
    await this.#query("delete from message_queue");
    const plan = { name: "x", senderNumber: "10001234", content: content.repeat(repeated), columns };
    const { status, body } = await this.#call("POST", "/campaigns", plan);
    if (status !== 200) return undefined;
    const { id } = JSON.parse(body) as { id: string };
    const given = listOf(rows, (index) => [number(index), ...columns.map(() => value)]);
    await this.#call("POST", `/campaigns/${id}/rows`, { first: 1, rows: given });
    return id;
  }

  async #query(text: string): Promise<readonly unknown[]> {
    return this.#running.db.query({ name: text, text, values: [] });
  }

  /** Starts the campaign, and waits until its rows are accepted or refused. */
  async #feed(id: string | undefined): Promise<void> {
    if (id === undefined) return;
    const octets = this.#octets("POST", `/campaigns/${id}/start`, {});
    const started = await this.#exchange(octets);
    const endsAt = performance.now() + feedMs;
    while (started.status === 200 && (await this.#query("select from campaign where state = 'sending'")).length > 0) {
      demand(performance.now() < endsAt, "the campaign is not fed");
      await sleep(20);
    }
  }

  #call(method: string, path: string, body?: object, etag = ""): Promise<HttpAnswer> {
    const octets = this.#octets(method, path, body, etag);
    return withoutHolding(() => this.#exchange(octets));
  }

  #octets(method: string, path: string, body?: object, etag = ""): Buffer {
    const headers = [
      ["Content-Type", "application/json"],
      ["X-Hodhod-Console", "1"],
      ["Cookie", this.#cookie],
      ["If-Match", etag],
    ] as const;
    return jsonCall(method, `/console/api${path}`, headers, body);
  }

  async #exchange(octets: Buffer): Promise<HttpAnswer> {
    const answer = await exchange(this.#running.port, octets, answerMs);
    const [failure] = this.#running.takeFailures();
    if (failure !== undefined) throw new Finding(`a service failed: ${failure}`);
    demand(answer !== undefined, "no answer");
    this.#counts.set(answer.status, (this.#counts.get(answer.status) ?? 0) + 1);
    return answer;
  }

  notes(): string {
    return [...this.#counts].map(([status, count]) => `${status}: ${count}`).join(", ");
  }

  close(): Promise<void> {
    return this.#running.close();
  }
}

export const largeCallsTarget: Target = defineTarget<LargeInput>({
  from: import.meta.url,
  name: "large-calls",
  title: "campaigns and blocked numbers of any size: nobody else waits",
  budgetMs: 20_000,
  growthMegabytes: 32,
  needsDatabase: true,
  generate,
  open: (surroundings) => LargeCalls.open(surroundings),
  write: writeExpression,
});
