// Holds the house together: who may import whom, and what may happen only in one place. A room that
// is new must be entered in the table below; a file that breaks a rule is named with the rule.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { circlesOf, readSources, roomOf, target, type SourceFile } from "./support/source-files.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** What every room may import. */
const everywhere = ["platform"] as const;

/**
 * Room → rooms it may import, top down. A room is a folder of src/, or a file there by its name.
 * `cli` and `main` stand at the top: no other room imports them.
 */
const table: Readonly<Record<string, string>> = {
  main: "cli",
  cli: "*",
  app: "http intake dispatch figures inbound maintenance directory credentials postgres setup store webhooks simulator",
  webhooks: "events store sms",
  http: "events webhooks intake figures connectors credentials directory fields setup store sms tables texts",
  events: "intake store sms texts",
  figures: "directory sms store",
  intake: "credentials directory events store sms",
  dispatch: "connectors directory events store sms",
  inbound: "connectors directory events store sms",
  maintenance: "directory events store sms",
  connectors: "fields smpp sms",
  setup: "connectors credentials fields webhooks store sms tables texts",
  credentials: "directory store texts",
  directory: "connectors fields store sms",
  simulator: "smpp sms",
  store: "fields sms",
  texts: "sms",
  fields: "credentials sms",
  tables: "sms",
  sms: "",
  smpp: "",
  postgres: "",
  platform: "sms",
};
const mayImport = new Map(Object.entries(table).map(([room, rooms]) => [room, new Set(rooms.split(" "))]));

const files = readSources(path.join(root, "src"), [".ts"]);

/** What the file imports of a room, by names under src/. */
function importsFrom(room: string, file: SourceFile): readonly string[] {
  return file.imports.flatMap(({ from }) => target(file, from) ?? []).filter((to) => roomOf(to) === room);
}

const byName = new Map(files.map((file) => [file.name, file]));

/** The names of all files that are loaded before this one runs. */
function loadedWith(name: string, seen = new Set<string>()): ReadonlySet<string> {
  const file = byName.get(name);
  if (file === undefined || seen.has(name)) return seen;
  seen.add(name);
  for (const { from, typeOnly, later } of file.imports)
    if (!typeOnly && !later) loadedWith(target(file, from) ?? "", seen);
  return seen;
}

/** The names of files that match, for messages that say where. */
function namesWhere(condition: (file: SourceFile) => boolean): readonly string[] {
  return files.filter(condition).map(({ name }) => name);
}

describe("architecture", () => {
  it("has every room in the table", () => {
    const rooms = new Set(files.map(({ room }) => room));
    expect([...rooms].filter((room) => !mayImport.has(room))).toEqual([]);
  });

  it("grants nothing that nobody uses, and to no room that does not exist", () => {
    const used = new Set(
      files.flatMap((file) =>
        file.imports.flatMap(({ from }) => {
          const to = target(file, from);
          return to === undefined ? [] : [`${file.room} ${roomOf(to)}`];
        }),
      ),
    );
    const rooms = new Set(files.map(({ room }) => room));
    const idle = [...mayImport].flatMap(([room, allowed]) =>
      [...allowed]
        .filter((each) => each !== "" && each !== "*" && !used.has(`${room} ${each}`))
        .map((each) => `${room}: ${each}`),
    );
    expect([[...mayImport.keys()].filter((room) => !rooms.has(room)), idle]).toEqual([[], []]);
  });

  it("lets each room import only what the table allows", () => {
    const wrong = files.flatMap((file) =>
      file.imports.flatMap(({ from }) => {
        const to = target(file, from);
        if (to === undefined) return [];
        const room = roomOf(to);
        const allowed = mayImport.get(file.room) ?? new Set<string>();
        const fine =
          room === file.room || allowed.has("*") || allowed.has(room) || everywhere.some((free) => free === room);
        return fine ? [] : [`${file.name} imports ${to}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("shares nothing between endpoints of the console but by modules of its own", () => {
    const folder = "http/console/";
    const isEndpoint = ({ name, code }: SourceFile): boolean =>
      name.startsWith(folder) && /^\} satisfies ConsoleEndpoints;/m.test(code);
    const endpoints = new Set(namesWhere(isEndpoint));
    expect(endpoints.size).toBeGreaterThan(20);
    // What puts endpoints together.
    const allowed = new Set(["endpoints.ts", "configuration.ts", "webhooks.ts"].map((name) => folder + name));
    const wrong = files
      .filter(({ name }) => name.startsWith(folder) && !allowed.has(name))
      .flatMap((file) =>
        file.imports.flatMap(({ from }) => {
          const to = target(file, from);
          return to !== undefined && endpoints.has(to) ? [`${file.name} imports ${to}`] : [];
        }),
      );
    expect(wrong).toEqual([]);
  });

  it("has no circle of imports, those of types included", () => {
    expect(circlesOf(files)).toEqual([]);
  });

  it("loads no gateway into a parent of workers, nor into a start that is refused", () => {
    // The walk is worth something only while it finds what there is.
    expect(loadedWith("app/gateway.ts").size).toBeGreaterThan(200);
    for (const start of ["cli/serve.ts", "app/workers-parent.ts", "app/gateway-process.ts"]) {
      const loaded = loadedWith(start);
      expect([start, loaded.has("app/gateway.ts"), loaded.has("http/server.ts")]).toEqual([start, false, false]);
    }
  });

  it("loads what sends requests to endpoints only where one is sent", () => {
    const loadsClient = namesWhere(({ imports }) =>
      imports.some(({ from, typeOnly, later }) => from === "undici" && !typeOnly && !later),
    );
    expect(loadsClient).toEqual(["webhooks/vetted-connector.ts"]);
    expect(loadsClient.filter((name) => loadedWith("app/gateway.ts").has(name))).toEqual([]);
  });

  it("imports by relative paths with .ts endings that exist, and node's own modules by their node: names", () => {
    const wrong = files.flatMap((file) =>
      file.imports.flatMap(({ from }) => {
        const to = target(file, from);
        const bare = /^(fs|path|net|tls|os|crypto|events|stream|child_process|util|http|url|zlib|timers)(\/|$)/.test(
          from,
        );
        const missing = to !== undefined && !existsSync(path.join(root, "src", to));
        return bare || missing || (to !== undefined && !to.endsWith(".ts")) ? [`${file.name}: ${from}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps SQL in store/ (and the making of the embedded database in postgres/)", () => {
    const sql =
      /["'`](\s*\/\*\s*\w+\s*\*\/)?\s*(select\s+[\w*(]|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\()/i;
    // The pattern is worth something only while it finds what there is.
    expect(namesWhere(({ room, code }) => room === "store" && sql.test(code)).length).toBeGreaterThan(8);
    expect(namesWhere(({ room, code }) => !["store", "postgres"].includes(room) && sql.test(code))).toEqual([]);
    expect(
      namesWhere(
        ({ room, imports }) =>
          !["store", "postgres"].includes(room) && imports.some(({ from }) => /^pg(-|$)/.test(from)),
      ),
    ).toEqual([]);
  });

  it("tells what became of messages in message-ends.ts only", () => {
    const tells = ({ code }: SourceFile) => /\.emit\(\s*"message\.(sent|ended)"/.test(code);
    expect(namesWhere(tells)).toEqual(["events/message-ends.ts"]);
  });

  it("names the statuses and reasons of messages in SQL, as message-status.ts does", () => {
    const bare =
      /\b(status|reason)\s*(=|<>|!=|in\s*\(|is (not )?distinct from)\s*\d|\bwhen\s+m\.status\b.*\bwhen \d|\b13(0[1-9]|10)\b/;
    expect(bare.test("m.status = 0") && bare.test("reason in (1301)") && bare.test("then 1302 else")).toBe(true);
    const lines = files
      .filter(({ room }) => room === "store")
      .flatMap(({ name, code }) =>
        code
          .split("\n")
          .filter((line) => bare.test(line))
          .map((line) => `${name}: ${line.trim()}`),
      );
    expect(lines).toEqual([]);
  });

  it("shares what endpoints have in common in files of their own: only the server imports an endpoint of the clients' API", () => {
    const isEndpoint = ({ room, code }: SourceFile) =>
      room === "http" && /export const \w+: (?:readonly )?Endpoint\b/.test(code);
    const endpoints = new Set(namesWhere(isEndpoint));
    expect(endpoints.size).toBeGreaterThan(5);
    const wrong = files
      .filter(({ room, name }) => room === "http" && name !== "http/server.ts")
      .flatMap((file) =>
        file.imports.flatMap(({ from }) => {
          const to = target(file, from);
          return to !== undefined && endpoints.has(to) ? [`${file.name} imports ${to}`] : [];
        }),
      );
    expect(wrong).toEqual([]);
  });

  it("knows the protocol of a link in its own folder of connectors/, and only its test in the console beside", () => {
    const neutral = new Set(["connectors/connector.ts", "connectors/link-settings.ts", "connectors/registry.ts"]);
    const wrong = files
      .filter(({ room }) => ["dispatch", "inbound", "maintenance"].includes(room))
      .flatMap((file) => importsFrom("connectors", file).filter((to) => !neutral.has(to)));
    expect(wrong).toEqual([]);
    const known = new Set([
      "connectors/connector-settings.ts",
      "connectors/registry.ts",
      "http/console/connector-test.ts",
    ]);
    const knows = (file: SourceFile) => importsFrom("connectors", file).some((to) => to.startsWith("connectors/smpp/"));
    expect(
      namesWhere((file) => knows(file) && !known.has(file.name) && !file.name.startsWith("connectors/smpp/")),
    ).toEqual([]);
  });

  it("gives a name to one thing only: no two files export the same", () => {
    const filesOf = new Map<string, Set<string>>();
    for (const { name: file, code } of files)
      for (const [, name = ""] of code.matchAll(
        /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm,
      ))
        // The table of commands finds those of each file by this name.
        if (name !== "commands") filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
    expect(filesOf.size).toBeGreaterThan(1000);
    expect(
      [...filesOf].flatMap(([name, found]) => (found.size > 1 ? [`${name}: ${[...found].join(", ")}`] : [])),
    ).toEqual([]);
  });

  it("reads the environment in config.ts only", () => {
    expect(namesWhere(({ name, code }) => name !== "platform/config.ts" && /\bprocess\.env\b/.test(code))).toEqual([]);
  });

  it("knows Fastify in http/ only", () => {
    expect(
      namesWhere(({ room, imports }) => room !== "http" && imports.some(({ from }) => /^@?fastify/.test(from))),
    ).toEqual([]);
  });

  it("opens sockets of operators in smpp/session, client and server only", () => {
    // Before a gateway starts, one is opened to see whether its port is free.
    const allowed = new Set(["smpp/session.ts", "smpp/client.ts", "smpp/server.ts", "app/gateway-process.ts"]);
    const opens = ({ imports, code }: SourceFile) =>
      imports.some(({ from, typeOnly }) => !typeOnly && /^node:(net|tls|dgram)$/.test(from)) &&
      /\b(createServer|createConnection|connect|new Socket|new TLSSocket|tlsConnect)\s*\(/.test(code);
    expect(namesWhere((file) => !allowed.has(file.name) && opens(file))).toEqual([]);
  });

  it("keeps sms/ pure: no clock, no randomness, no input or output", () => {
    const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bsetTimeout\b|\bfetch\(/;
    expect(
      namesWhere(
        ({ room, code, imports }) =>
          room === "sms" &&
          (impure.test(code) || imports.some(({ from }) => from.startsWith("node:") && from !== "node:buffer")),
      ),
    ).toEqual([]);
  });

  it("has no barrels, no default exports, and no folders or files that could hold anything", () => {
    expect(
      namesWhere(({ name }) =>
        /(^|\/)(index|utils?|helpers?|common|misc|types|interfaces|constants\/index)\.ts$/.test(name),
      ),
    ).toEqual([]);
    expect(
      namesWhere(({ name }) => /(^|\/)(utils?|helpers?|common|misc|types|interfaces|models|services)\//.test(name)),
    ).toEqual([]);
    expect(namesWhere(({ code }) => /^export \*|^export default/m.test(code))).toEqual([]);
    const onlyPassesOn = (file: SourceFile) =>
      file.code.trim() !== "" && file.code.replace(/^export[^;]*from "[^"]+";$/gm, "").trim() === "";
    expect(namesWhere(onlyPassesOn)).toEqual([]);
  });

  it("registers hooks of tests in their files: those of a shared module are the first file's alone", () => {
    const shared = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .filter((name) => /^(before|after)(Each|All)\(/m.test(readFileSync(path.join(root, "test", name), "utf8")));
    // Runs for each file.
    expect(shared).toEqual(["support/each-file.ts"]);
  });

  it("opens every file with what it is", () => {
    expect(namesWhere(({ text }) => !/^(#!.*\n)?(\/\/|\/\*)/.test(text))).toEqual([]);
  });

  it("writes to the console in cli/ only", () => {
    const mayWrite = ({ room }: SourceFile) => ["cli", "main"].includes(room);
    expect(namesWhere((file) => !mayWrite(file) && /\bconsole\.\w+\(/.test(file.code))).toEqual([]);
  });
});
