// The HTTP API against its own document: a real gateway on a real database gets calls made from
// docs/openapi.json. Every answer is one that the document promises, none is a 500, and a call that
// is refused leaves every table as it was.
import { insertInboundMessage } from "../src/store/inbound.ts";
import { uuidv7 } from "../src/platform/uuid.ts";
import { faultsOfAnswer } from "../test/support/api-document.ts";
import { credentials } from "../test/support/gateway-setup.ts";
import { changedTables, Digester, type Digest } from "./database.ts";
import { withoutHolding } from "./event-loop.ts";
import { openGateway, type RunningGateway } from "./gateway.ts";
import { type placeholders, fillIn, generateCall, isSoundHttp, operations } from "./http-calls.ts";
import { exchange, jsonCall, wireOf, type HttpAnswer, type HttpCall } from "./http-exchange.ts";
import { oddTexts } from "./mutate.ts";
import { defineTarget, demand, Finding, type Subject, type Surroundings, type Target } from "./target.ts";
import { writeExpression } from "./value.ts";

const timeoutMs = 10_000;
/**
 * For what may be no whole call. A busy machine takes longer than that for a call that is whole
 * after all.
 */
const unsoundTimeoutMs = 400;
/** Above so many rows a digest costs more than the calls, and is made for some of them only. */
const rowsToDigestAlways = 3000;
const closedPort = 1;

type Known = Record<keyof typeof placeholders, string>;

class ApiSubject implements Subject<HttpCall> {
  readonly #running: RunningGateway;
  readonly #digester: Digester;
  readonly #known: Known;
  /** Undefined after a call that may have changed something. */
  #before: Digest | undefined;
  #calls = 0;
  readonly #statuses = new Map<string, Map<number, number>>();

  static async open({ databaseServer }: Surroundings): Promise<ApiSubject> {
    // Only the HTTP service: what waits is sent nowhere, so that nothing changes but by calls.
    const environment = { HODHOD_ONLY: "http", HODHOD_TRUST_PROXY: "127.0.0.1", HODHOD_WEBHOOK_ALLOW: "127.0.0.1" };
    const running = await openGateway({ databaseServer, environment, operatorPorts: [closedPort] });
    const subject = new ApiSubject(running);
    await subject.#receiveMessages();
    await subject.#learn();
    await subject.#makeEndpoint();
    return subject;
  }

  private constructor(running: RunningGateway) {
    this.#running = running;
    this.#digester = new Digester(running.db);
    this.#known = { batchId: "", messageId: "", endpointId: "", token: "", later: "" };
  }

  /** There is something to read, as odd as subscribers write. */
  async #receiveMessages(): Promise<void> {
    const { db, gateway } = this.#running;
    const account = [...gateway.directory.current.accounts.values()].find(({ name }) => name === "demo");
    if (account === undefined) throw new Error("no account");
    const texts = oddTexts.map((text) => text.replaceAll("\0", "").replace(/\p{Surrogate}/gu, "\ufffd"));
    const common = {
      accountId: account.id,
      sender: "989121234567",
      recipient: "10001234",
      receivedAt: new Date(),
      complete: true,
      connectorId: 1,
      stray: false,
    };
    for (const content of texts) {
      await db.transaction((tx) => insertInboundMessage(tx, { ...common, id: uuidv7(), content }));
    }
  }

  /** A token, and the ids of a message that waits and can be cancelled. */
  async #learn(): Promise<void> {
    const { username: userName, password, domain } = credentials;
    this.#known.token = "";
    const { accessToken } = await this.#post("/auth/token", { userName, password, domain });
    this.#known.token = String(accessToken);
    this.#known.later = String(Math.floor(Date.now() / 1000) + 86_400);
    const bulk = { senderNumbers: ["10001234"], recipientNumbers: ["09121234567"], contents: ["سلام"] };
    const body = { ...bulk, sendTimestamp: Number(this.#known.later) };
    const { batchId, messages } = await this.#post("/messages/send/bulk", body);
    this.#known.batchId = String(batchId);
    this.#known.messageId = String((messages as { sentMessageId: string }[])[0]?.sentMessageId);
  }

  /** The only one, since an account has few. */
  async #makeEndpoint(): Promise<void> {
    await this.#running.db.query(deleteEndpoints);
    const body = { name: "one", url: "http://127.0.0.1:9/", events: ["*"] };
    const { endpointId } = await this.#post("/webhooks/endpoints", body);
    this.#known.endpointId = String(endpointId);
    this.#before = undefined;
  }

  async #post(target: string, body: object): Promise<Record<string, unknown>> {
    const { token } = this.#known;
    const headers = [["Authorization", `Bearer ${token}`] as const].filter(() => token !== "");
    const answer = await exchange(this.#running.port, jsonCall("POST", target, headers, body), timeoutMs);
    if (answer?.status !== 200) throw new Error(`${target} answered ${answer?.status ?? "nothing"}`);
    return JSON.parse(answer.body) as Record<string, unknown>;
  }

  async check(input: HttpCall): Promise<void> {
    this.#calls += 1;
    this.#before ??= await this.#digester.digest();
    const call = fillIn(input, this.#known);
    const octets = wireOf(call);
    const waitMs = isSoundHttp(call) ? timeoutMs : unsoundTimeoutMs;
    const answer = await withoutHolding(() => exchange(this.#running.port, octets, waitMs));
    const [failure] = this.#running.takeFailures();
    if (failure !== undefined) throw new Finding(`a service failed: ${failure}`);
    if (answer === undefined) demand(!isSoundHttp(call), "no answer");
    else {
      this.#count(call, answer.status);
      judgeAnswer(call, answer);
    }
    // What is cut short is never carried out, however long it is waited for.
    if (answer !== undefined || call.framing === "long") await this.#demandUnchanged(answer?.status ?? 0);
    // Of another call that was not answered in time nobody knows whether it goes on.
    else this.#before = undefined;
    if (this.#known.batchId === "") await this.#learn();
    if (call.method === "DELETE" && answer?.status === 200 && call.target.includes("endpoints"))
      await this.#makeEndpoint();
  }

  async #demandUnchanged(status: number): Promise<void> {
    const before = this.#before;
    if (status === 200) {
      this.#before = undefined;
      return;
    }
    if (before === undefined || (before.rows > rowsToDigestAlways && this.#calls % Math.ceil(before.rows / 1000) > 0))
      return;
    const after = await this.#digester.digest();
    this.#before = after;
    demand(
      after.text === before.text,
      () => `a call that was answered ${status} changed ${changedTables(before, after)}`,
    );
  }

  #count({ method, target }: HttpCall, status: number): void {
    const name = operationOf(method, target) ?? "elsewhere";
    const statuses = this.#statuses.get(name) ?? new Map<number, number>();
    this.#statuses.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  notes(): string {
    const never = operations.filter(({ name }) => !this.#statuses.get(name)?.has(200)).map(({ name }) => name);
    const all = new Map<number, number>();
    for (const statuses of this.#statuses.values())
      for (const [status, count] of statuses) all.set(status, (all.get(status) ?? 0) + count);
    const counts = [...all].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return `${counts.join(", ")}${never.length > 0 ? `; never 200: ${never.join(", ")}` : "; each operation answered 200"}`;
  }

  close(): Promise<void> {
    return this.#running.close();
  }
}

const deleteEndpoints = { name: "fuzzDeleteEndpoints", text: "delete from webhook_endpoint", values: [] };

/** By method and path, as the document names it. */
function operationOf(method: string, target: string): string | undefined {
  const path = target.split(/[?#]/, 1)[0] ?? "";
  return operations.find(
    (each) => each.method === method && new RegExp(`^${each.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
  )?.name;
}

function judgeAnswer(call: HttpCall, { status, headers, body }: HttpAnswer): void {
  demand(status < 500, `${status}: ${body}`);
  // A line break ends the head before its Host, which Node.js refuses itself.
  if (/[\r\n]/.test(call.target)) return;
  demand(headers.get("x-content-type-options") === "nosniff", "an answer that may be sniffed");
  if (call.method === "HEAD") {
    // The method is not known where the parser refuses the first line.
    if (!/^\/[\x21-\x7e]*$/.test(call.target)) return;
    demand(body.length === 0, "HEAD was answered with a body");
    return;
  }
  const isJson = headers.get("content-type") === "application/json; charset=utf-8";
  demand(isJson, `${status} of type ${headers.get("content-type") ?? "none"}: ${body.slice(0, 200)}`);
  demand(!/(?<!\\)(\\\\)*\\ud[89a-f]/i.test(body), () => `half a character is repeated: ${body}`);
  const value = JSON.parse(body) as unknown;
  // What is no sound HTTP has no operation; it gets the body of every error.
  const [method, url] = isSoundHttp(call) ? [call.method, call.target.split("#", 1)[0] ?? ""] : ["GET", "/nowhere"];
  // A length that is a lie does not always keep a call from its operation.
  if (!isSoundHttp(call) && (status === 200 || operationOf(call.method, call.target) !== undefined)) return;
  let faults: readonly string[];
  try {
    faults = faultsOfAnswer(method, url, status, value);
  } catch (error) {
    throw new Finding(`not in the document: ${String(error)}: ${body}`);
  }
  demand(faults.length === 0, () => `${method} ${status} is not as the document promises: ${faults.join()} ${body}`);
}

export const httpTarget: Target = defineTarget<HttpCall>({
  from: import.meta.url,
  name: "http",
  title: "the HTTP API against docs/openapi.json: a gateway on a database, calls sound, spoiled and foreign",
  budgetMs: 30_000,
  growthMegabytes: 32,
  settleMs: 500,
  needsDatabase: true,
  generate: generateCall,
  open: (surroundings) => ApiSubject.open(surroundings),
  write: writeExpression,
});
