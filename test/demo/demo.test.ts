import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRunning } from "../../src/postgres/owner-lock.ts";
import { eventually } from "../support/factories.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const folder = mkdtempSync(path.join(tmpdir(), "hodhod-demo-"));
/** Of the demos that npm starts: somebody signs in there, for whom the demo sends messages with troubles. */
const dataDir = path.join(folder, "by-npm");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("heeds one Ctrl-C of a terminal, which npm passes on a second time", async () => {
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, HODHOD_DATA_DIR: dataDir, HODHOD_PORT: "0" },
    stdio: "pipe",
    detached: true, // a process group of its own, as a shell makes
  });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(npm, "close");
  await eventually(() => output.includes("gateway listens on"));
  process.kill(-(npm.pid ?? 0), "SIGINT");
  await ended;
  expect(output).toContain("SIGINT: finishing work in progress");
  expect(output).toMatch(/^stopped$/m);
  expect(existsSync(path.join(dataDir, "hodhod.lock"))).toBe(false);
});

it("with --json names who can open the console, with links that do; ends where the signal is sent to npm alone", async () => {
  const npm = spawn("npm", ["start", "--silent", "--", "--json"], {
    cwd: root,
    env: { ...process.env, HODHOD_DATA_DIR: dataDir, HODHOD_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(npm, "close");
  let output = "";
  npm.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    await eventually(() => output.endsWith("}\n"));
    const printed = JSON.parse(output) as DemoJson;
    const text = expect.stringMatching(/^\S+$/) as string;
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;
    expect(printed).toEqual({
      url,
      apiKey: text,
      consoleUrl: `${printed.url}/console`,
      staff: { username: "admin", password: text, link: text },
      customer: { username: "demo", password: text, organisation: text, link: text },
      delivered: 3,
    });
    const { staff, customer, consoleUrl } = printed;
    expect((await fetch(consoleUrl)).status).toBe(200);
    for (const [{ link, ...login }, kind] of [
      [staff, "staff"],
      [customer, "customer"],
    ] as const) {
      const [page = "", ticket] = link.split("#ticket=");
      expect([page, (await fetch(page)).status]).toEqual([`${consoleUrl}/sign-in`, 200]);
      for (const [endpoint, body] of Object.entries({ "session/ticket": { ticket }, session: login })) {
        const answer = await fetch(`${consoleUrl}/api/${endpoint}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-hodhod-console": "1" },
          body: JSON.stringify(body),
        });
        expect([endpoint, answer.status, await answer.json()]).toMatchObject([
          endpoint,
          200,
          { user: { kind, username: login.username } },
        ]);
      }
    }
  } finally {
    const { pid } = JSON.parse(readFileSync(path.join(dataDir, "hodhod.lock"), "utf8")) as { pid: number };
    npm.kill("SIGTERM");
    await eventually(() => !isRunning(pid));
    await ended;
  }
  expect(existsSync(path.join(dataDir, "hodhod.lock"))).toBe(false);
});

interface DemoJson {
  readonly url: string;
  readonly consoleUrl: string;
  readonly staff: { readonly username: string; readonly password: string; readonly link: string };
  readonly customer: {
    readonly username: string;
    readonly password: string;
    readonly organisation: string;
    readonly link: string;
  };
}

describe("beside a running demo", () => {
  let demo: ChildProcess;
  let output = "";
  let url = "";
  beforeAll(async () => {
    demo = spawn(process.execPath, [path.join(root, "bin/hodhod"), "demo"], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HODHOD_PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [demo.stdout, demo.stderr])
      stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await eventually(() => output.includes("Ctrl-C stops everything"));
    url = /gateway listens on (\S+)/.exec(output)?.[1] ?? "";
  });
  afterAll(async () => {
    const ended = once(demo, "exit");
    demo.kill("SIGTERM");
    await ended;
  });

  /**
   * Runs the lines in the folder of the demo, as one who pastes them. What each call answered comes
   * back.
   */
  async function paste(lines: string): Promise<readonly Record<string, unknown>[]> {
    const answers: Record<string, unknown>[] = [];
    // curl as it is, and each of its answers kept beside.
    const script = `curl() { command curl "$@" | tee -a answers; echo >> answers; }\n${lines}\n`;
    rmSync(path.join(folder, "answers"), { force: true });
    await promisify(execFile)("bash", ["-euc", script], { cwd: folder, env: { PATH: process.env["PATH"] ?? "" } });
    for (const line of readFileSync(path.join(folder, "answers"), "utf8").split("\n")) {
      if (line !== "") answers.push(JSON.parse(line) as Record<string, unknown>);
    }
    return answers;
  }

  const postTo = (endpoint: string, body: object): Promise<Response> =>
    fetch(`${url}/console/api${endpoint}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hodhod-console": "1" },
      body: JSON.stringify(body),
    });

  function shellLines(document: string, pattern: RegExp): string {
    const text = readFileSync(path.join(root, document), "utf8").replaceAll("http://127.0.0.1:8080", url);
    return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
      .flatMap(([, lines = ""]) => (pattern.test(lines) ? [lines] : []))
      .join("");
  }

  it("the lines that it prints, those of README and those of the guide work as they are pasted", async () => {
    const printed = /^KEY=[\s\S]*?X-Api-Key: \$KEY"$/m.exec(output)?.[0] ?? "";
    const [sent, followed] = await paste(printed);
    expect(sent?.["batchId"]).toBeDefined();
    expect(followed).toMatchObject({ batchId: sent?.["batchId"], messages: [{ content: "سلام دنیا" }] });
    for (const document of ["README.md", "docs/api-guide.md"]) {
      const answers = await paste(shellLines(document, /curl|^KEY=|^BASE=/m));
      expect(answers.length).toBeGreaterThanOrEqual(document === "README.md" ? 2 : 5);
      expect(answers.filter((answer) => "errorCode" in answer)).toEqual([]);
      const last = answers.at(-1) as { messages?: readonly { messageStatus: number }[] };
      if (document === "README.md") expect(last.messages?.[0]?.messageStatus).toBeGreaterThan(0);
    }
  });

  const guides = readdirSync(path.join(root, "docs/guides")).map((name) => `docs/guides/${name}`);
  const runnable = [...guides, "docs/api-guide.fa.md", "README.fa.md"].filter(
    (name) => shellLines(name, /curl/) !== "",
  );

  it("knows the guides that have commands", () => expect(runnable.length).toBeGreaterThanOrEqual(12));

  it.each(runnable)("%s works as it is pasted, from its first command to its last", async (document) => {
    // That of a guide before says that its receiver listens.
    for (const file of ["events.log", "sent.csv"]) rmSync(path.join(folder, file), { force: true });
    const answers = await paste(shellLines(document, /^(?!npm )/));
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter((answer) => "errorCode" in answer)).toEqual([]);
    if (/bulk/.test(document)) {
      const [again] = /^node send-rows.mjs (.*)$/m.exec(shellLines(document, /./)) ?? [];
      const [, file = ""] = / (\S+\.csv) /.exec(again ?? "") ?? [];
      const other = again?.replace(file, "مشتریان.csv").replace("{name}", "X{name}") ?? "";
      await paste(
        shellLines(document, /^export BASE/m) + `cp ${file} مشتریان.csv\n${again}\n${other}\necho {} > answers`,
      );
      const ids = readFileSync(path.join(folder, "sent.csv"), "utf8").match(/^\d+,[0-9a-f-]{36}$/gm);
      expect([ids?.length, new Set(ids).size]).toEqual([750, 500]);
      expect(readFileSync(path.join(folder, "refused.csv"), "utf8")).toBe("number,name\n");
    }
    if (/receive/.test(document)) {
      const events = readFileSync(path.join(folder, "events.log"), "utf8");
      for (const type of ["webhook.test", "message.delivered", "message.received"]) expect(events).toContain(type);
    }
  });

  it("prints logins of the console that work, of a customer and of staff", async () => {
    const signIn = async (login: Record<string, string | undefined>): Promise<unknown> => {
      const answer = await postTo("/session", login);
      return [answer.status, await answer.json()];
    };
    const [, password, organisation] = /user +demo, password (\S+), domain (\S+)$/m.exec(output) ?? [];
    const customer = { kind: "customer", username: "demo", account: "demo" };
    expect(await signIn({ username: "demo", password, organisation })).toMatchObject([200, { user: customer }]);
    const [, staffPassword] = /staff +admin, password (\S+) \(console only\)$/m.exec(output) ?? [];
    const staff = { kind: "staff", role: "administrator" };
    expect(await signIn({ username: "admin", password: staffPassword })).toMatchObject([200, { user: staff }]);
    expect(output).toMatch(new RegExp(`console +${url}/console$`, "m"));
  });

  it("prints links that open the console as staff and as customer, and tells nobody else", async () => {
    const tickets = [
      ...new Set([...output.matchAll(/^ {2}(\S+\/console\/sign-in)#ticket=(\S+)$/gm)].map(([, , t]) => t)),
    ];
    expect(tickets).toHaveLength(2);
    const people = [];
    for (const ticket of tickets) {
      const answer = await postTo("/session/ticket", { ticket });
      people.push([answer.status, ((await answer.json()) as { user: { kind: string } }).user.kind]);
    }
    expect(people).toEqual([
      [200, "staff"],
      [200, "customer"],
    ]);
    const log = readFileSync(path.join(folder, "demo-data", "gateway.log"), "utf8");
    expect(tickets.filter((ticket) => log.includes(ticket ?? ""))).toEqual([]);
  });

  it("sends messages while somebody looks at the console", async () => {
    const apiKey = /^KEY=(\S+)$/m.exec(output)?.[1] ?? "";
    const balance = async (): Promise<bigint> => {
      const answer = await fetch(`${url}/account/balance`, { headers: { "x-api-key": apiKey } });
      return BigInt(((await answer.json()) as { balance: string }).balance.replaceAll(",", ""));
    };
    const before = await balance();
    await postTo("/session/ticket", { ticket: /#ticket=(\S+)$/m.exec(output)?.[1] });
    await eventually(async () => (await balance()) < before - 3_000n);
  });

  it("lets opt-outs be tried: who replies «لغو» to the service line gets nothing more from it", async () => {
    const apiKey = /^KEY=(\S+)$/m.exec(output)?.[1] ?? "";
    const [, recipientNumber, senderNumber] = /send to (\d+) from the service line (\d+)/.exec(output) ?? [];
    const send = async (): Promise<unknown> => {
      const answer = await fetch(`${url}/messages/send`, {
        method: "POST",
        headers: { "x-api-key": apiKey, "content-type": "application/json" },
        body: JSON.stringify({ senderNumber, recipientNumber, content: "سلام" }),
      });
      return ((await answer.json()) as { errorCode?: number }).errorCode;
    };
    expect(await send()).toBeUndefined();
    await eventually(async () => (await send()) === 1202);
  });

  it("fits 80 columns, without colours where nobody looks", () => {
    const tooLong = output.split("\n").filter((line) => Array.from(line).length > 80);
    expect(tooLong).toEqual([]);
    expect(output).not.toContain("\u001b");
  });

  it("the example of auth/token at /docs works", async () => {
    const document = (await (await fetch(`${url}/docs/json`)).json()) as ApiDocument;
    const example = document.paths["/auth/token"]?.["post"]?.requestBody?.content["application/json"]?.example;
    const answer = await fetch(`${url}/auth/token`, { method: "POST", body: JSON.stringify(example) });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ tokenType: "Bearer" })]);
  });

  it("Try it out at /docs works as it is filled in, with what Authorize adds", async () => {
    const apiKey = /^KEY=(\S+)$/m.exec(output)?.[1] ?? "";
    const [, password = "", domain = ""] = /user +demo, password (\S+), domain (\S+)$/m.exec(output) ?? [];
    const authorized: Readonly<Record<string, string>> = {
      apiKeyParameter: apiKey,
      usernameParameter: "demo",
      passwordParameter: password,
      domainParameter: domain,
    };
    const document = (await (await fetch(`${url}/docs/json`)).json()) as ApiDocument;
    const outcomes: string[] = [];
    for (const [route, methods] of Object.entries(document.paths)) {
      for (const [method, { parameters = [], requestBody, security = [] }] of Object.entries(methods)) {
        // An id is one that the user got before.
        if (parameters.some(({ name, required }) => required === true && /^(batch|endpoint)Id$/.test(name))) continue;
        const filledIn = parameters.flatMap(({ name, in: where, example }) =>
          example === undefined ? [] : [[name, where, example].flat() as [string, string, ...string[]]],
        );
        const query = new URLSearchParams(
          Object.keys({ ...security[0] }).flatMap((scheme): [string, string][] => {
            const value = authorized[scheme];
            return value === undefined ? [] : [[scheme.replace("Parameter", ""), value]];
          }),
        );
        for (const [name, where, ...values] of filledIn)
          if (where === "query") for (const value of values) query.append(name, value);
        const at = filledIn.reduce((left, [name, , value = ""]) => left.replace(`{${name}}`, value), route);
        for (const [type, { example }] of Object.entries(requestBody?.content ?? { "": {} })) {
          const headers = type === "application/json" ? { "content-type": type } : {};
          const answer = await fetch(`${url}${at}?${query.toString()}`, {
            method: method.toUpperCase(),
            headers: { "x-api-key": apiKey, ...headers },
            ...(type !== "" && { body: bodyOf(type, example) }),
          });
          outcomes.push(`${method} ${route} ${type} ${answer.status}`);
        }
      }
    }
    expect(outcomes.length).toBeGreaterThan(20);
    expect(outcomes.filter((outcome) => !outcome.endsWith(" 200"))).toEqual([]);
  });
});

/** As the page sends what its form holds. */
function bodyOf(type: string, example: unknown): string | URLSearchParams | FormData {
  if (type === "application/json") return JSON.stringify(example);
  const form = type === "multipart/form-data" ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries({ ...(example as Record<string, string | string[]>) }))
    for (const one of [value].flat()) form.append(name, one);
  return form;
}

interface ApiOperation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly example?: string | readonly string[];
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}
