// Holds the documents to the code: links that resolve, and tables that say what the sources say. A
// document that is forgotten in a change is told here.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectorFields } from "../src/connectors/connector-settings.ts";
import type { SetupField } from "../src/fields/field.ts";
import { errorCatalogue } from "../src/texts/errors.ts";
import { expectSound, readSetupFile } from "../src/setup/read-setup.ts";
import { metricsText } from "../bin/generate-docs.ts";
import { metricTable } from "../src/platform/metric-table.ts";
import { createMetrics, createParentMetrics } from "../src/platform/metrics.ts";
import { eventTypes, testEvent } from "../src/sms/event-types.ts";
import { behaviours } from "../src/simulator/behaviours.ts";
import {
  messageEvents,
  type MessageStatus,
  nextStatus,
  reasonAfter,
  reasonCode,
  type ReasonCode,
} from "../src/sms/message-status.ts";
import { Telemetry } from "../src/platform/telemetry.ts";
import { withTestGateway } from "./support/gateway.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

function read(name: string): string {
  return readFileSync(path.join(root, name), "utf8");
}

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`),
  "clients/typescript/README.md",
];

/** The names of the files of a folder, without their paths. */
function filesBelow(folder: string, recursive = true): readonly string[] {
  return readdirSync(folder, { recursive, encoding: "utf8" }).map((name) => path.basename(name));
}

/** Without code blocks, whose links and headings do not count. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "");
}

/** The anchors that headings get where the documents are shown. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...prose(text).matchAll(/^#{1,6} +(.+)$/gm)].map((match) => match[1] ?? "");
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{Nd}\s_-]/gu, "")
        .trim()
        .replace(/\s/g, "-"),
    ),
  );
}

/** Rows of the tables in a text, as cells; head and rule lines too. */
function tableRows(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/^\|(.+)\|$/gm)].map((match) =>
    (match[1] ?? "")
      .replaceAll("\\|", "\0")
      .split("|")
      .map((cell) => cell.replaceAll("\0", "|").trim()),
  );
}

/** What a cell of a table holds between backquotes. */
function codesOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

function sectionOf(text: string, heading: string): string {
  const start = text.indexOf(`\n## ${heading}\n`);
  expect(start, `section ${heading}`).toBeGreaterThanOrEqual(0);
  const end = text.indexOf("\n## ", start + 1);
  return text.slice(start, end < 0 ? undefined : end);
}

describe("documents", () => {
  it("have links that lead somewhere", () => {
    const broken = documents.flatMap((name) =>
      [...prose(read(name)).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].flatMap((match) => {
        const link = match[1] ?? match[2] ?? "";
        if (/^[a-z]+:/.test(link)) return [];
        const [file = "", anchor] = link.split("#");
        const target = file === "" ? name : path.posix.join(path.posix.dirname(name), file);
        const isThere = existsSync(path.join(root, target));
        const isFound = anchor === undefined || (isThere && anchorsOf(read(target)).has(anchor));
        return isThere && isFound ? [] : [`${name}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it("in Persian lead to Persian pages, where there are some", () => {
    const foreign = documents
      .filter((name) => name.endsWith(".fa.md"))
      .flatMap((name) =>
        [...prose(read(name)).matchAll(/\[([^\]]*)\]\(([^)\s#]+)\.md[^)]*\)/g)].flatMap(([, text = "", file = ""]) => {
          const persian = path.join(root, path.dirname(name), `${file.replace(/\.fa$/, "")}.fa.md`);
          return file.endsWith(".fa") || /English|انگلیسی/.test(text) || !existsSync(persian)
            ? []
            : [`${name}: ${file}`];
        }),
      );
    expect(foreign).toEqual([]);
  });

  it("name files of the sources that exist", () => {
    const missing = documents.flatMap((name) =>
      [...read(name).matchAll(/`((?:src|test|db|deploy|bin|bench|examples)\/[\w./-]+)`/g)].flatMap((match) =>
        existsSync(path.join(root, match[1] ?? "")) ? [] : [`${name}: ${match[1] ?? ""}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it("name no bare file, such as `routing.ts`, that does not exist", () => {
    const folders = ["src", "test", "bin", "bench", "faults", "fuzz", "clients", "db"];
    const present = new Set([
      ...filesBelow(root, false),
      ...folders.flatMap((each) => filesBelow(path.join(root, each))),
    ]);
    const missing = documents.flatMap((name) =>
      [...prose(read(name)).matchAll(/`([\w-]+(?:\.[\w-]+)*\.(?:tsx?|js|sql))`/g)].flatMap(([, file = ""]) =>
        present.has(file) ? [] : [`${name}: ${file}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it("are short where they were meant to be: a decision is at most a page", () => {
    const long = documents.filter((name) => name.startsWith("docs/decisions/0") && read(name).split("\n").length > 60);
    expect(long).toEqual([]);
  });

  it("list every decision in their index", () => {
    const index = read("docs/decisions/README.md");
    const decisions = readdirSync(path.join(root, "docs/decisions")).filter((name) => /^\d{4}-/.test(name));
    expect(decisions.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  });

  it("tell the changes of this version", () => {
    const { version } = JSON.parse(read("package.json")) as { version: string };
    expect(read("CHANGELOG.md")).toContain(`## [${version}]`);
  });

  it("give a reason and a licence for every package used at run time", () => {
    const manifest = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    const decision = read("docs/decisions/0010-tool-chain-and-dependencies.md");
    const notice = read("NOTICE");
    const packages = Object.keys(manifest.dependencies);
    const isNamed = (text: string, name: string): boolean =>
      new RegExp(`(^|[\\s|,])${name.replaceAll(/[.*+?^$/]/g, "\\$&")}([*,\\s|]|$)`, "m").test(text);
    expect(packages.filter((name) => !isNamed(decision, name))).toEqual([]);
    expect(packages.filter((name) => !isNamed(notice, name))).toEqual([]);
  });
});

describe("docs/api-guide.md", () => {
  const guide = read("docs/api-guide.md");
  /** `1302 to 1305` are four. */
  const codesIn = (text: string): readonly number[] =>
    [...text.matchAll(/\b(\d{3,4})(?: to (\d{4}))?\b/g)].flatMap(([, first = "", last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
    );
  /** Of calls of the console alone. */
  const ofTheConsole = new Set([412, 428]);

  it("says what to do about every error that a call can get", () => {
    const codes = Object.values(errorCatalogue).flatMap(({ code, status }) => (status === 200 ? [] : [code]));
    const text = ["Authentication", "Methods", "Errors"].map((title) => sectionOf(guide, title)).join("\n");
    const told = new Set(codesIn(text));
    expect(codes.filter((code) => !told.has(code) && !ofTheConsole.has(code))).toEqual([]);
  });

  it("has the PHP sample of the Persian guide, which is tested here alone", () => {
    const sample = /^```php\n[^]*?^```/m.exec(guide)?.[0] ?? "no sample";
    expect(read("docs/api-guide.fa.md")).toContain(sample);
  });

  it("says with which status each reason stands", () => {
    const told = new Set(codesIn(sectionOf(guide, "Status of messages")));
    expect(Object.values(reasonCode).filter((reason) => !told.has(reason))).toEqual([]);
  });
});

describe("docs/reference", () => {
  const metricsAndLog = read("docs/reference/metrics-and-log.md");

  it("has every variable of .env.example, with its default", () => {
    const rows = new Map(tableRows(read("docs/reference/settings.md")).map(([name = "", value = ""]) => [name, value]));
    const variables = [...read(".env.example").matchAll(/^([A-Z_]+)=(.*)$/gm)];
    expect(variables.length).toBeGreaterThan(10);
    const wrong = variables.flatMap(([, name = "", value = ""]) => {
      const told = rows.get(`\`${name}\``);
      return told === undefined || (value !== "" && told !== value) ? [`${name}: ${told ?? "missing"}`] : [];
    });
    expect(wrong).toEqual([]);
  });

  it("has the table of the metrics, and each of them is there to be read", async () => {
    expect(read("docs/reference/metrics.md")).toBe(metricsText());
    const texts = await Promise.all([createMetrics, createParentMetrics].map((make) => make(new Telemetry()).text()));
    const all = [...texts.join("\n").matchAll(/^# TYPE hodhod_(\S+)/gm)].map((match) => match[1] ?? "");
    const own = [...new Set(all)].filter((name) => !/^(process|nodejs)_/.test(name));
    expect(Object.keys(metricTable).sort()).toEqual(own.sort());
  });

  it("has exactly the events that are logged, with fields that they have", () => {
    const logged = /^const lines: LinesOfEvents = \{(.*?)^\};/ms.exec(read("src/platform/logger.ts"))?.[1] ?? "";
    const names = [...logged.matchAll(/^ {2}"([\w.]+)":/gm)].map((match) => match[1] ?? "");
    expect(names.length).toBeGreaterThan(10);
    const rows = tableRows(sectionOf(metricsAndLog, "Log")).flatMap(([events = "", , fields = ""]) =>
      /^`[a-z]+\.\w+`/.test(events) ? [{ events: codesOf(events), fields: codesOf(fields) }] : [],
    );
    expect(rows.flatMap(({ events }) => events).sort()).toEqual([...names].sort());
    const catalogue = read("src/platform/telemetry.ts");
    const unknown = rows.flatMap(({ events, fields }) => {
      const declared = events.map(
        (event) => new RegExp(`"${event}": \\{(.*?)\\};\\n(?: {2}["/]|\\})`, "s").exec(catalogue)?.[1] ?? "",
      );
      return fields.filter((field) => !declared.some((text) => new RegExp(`\\b${field}\\??:`).test(text)));
    });
    expect(unknown).toEqual([]);
  });
});

describe("docs/operate/runbook.md", () => {
  const runbook = read("docs/operate/runbook.md");

  it("warns by metrics that there are, and leads each alert to what is to be done", async () => {
    const texts = await Promise.all([createMetrics, createParentMetrics].map((make) => make(new Telemetry()).text()));
    const metrics = new Set([...texts.join("\n").matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]));
    const alerts = tableRows(sectionOf(runbook, "Alerts")).slice(2);
    expect(alerts.length).toBeGreaterThan(10);
    const named = alerts.flatMap(([condition = ""]) => condition.match(/hodhod_\w+/g) ?? []);
    expect(named.filter((name) => !metrics.has(name))).toEqual([]);
    expect(alerts.filter((cells) => cells.length !== 4 || !/\]\(.*#/.test(cells[3] ?? ""))).toEqual([]);
  });

  it("says of each background task what its failure means", async () => {
    const [, entry = ""] = /\n### A background task fails\n([^]*?)\n### /.exec(runbook) ?? [];
    const rows = tableRows(entry).slice(2);
    const documented = rows.flatMap(([tasks = ""]) => codesOf(tasks));
    await withTestGateway({}, async (gateway) => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text();
      const watched = [...text.matchAll(/^hodhod_service_failures_total\{service="([^" ]+).*"\} 0$/gm)];
      // The database of the tests is not embedded in the gateway.
      const tasks = ["embedded-postgres", ...watched.map((match) => match[1] ?? "")];
      expect(documented.sort()).toEqual(tasks.sort());
    });
  });
});

describe("docs/webhooks.md", () => {
  it("has exactly the types of events that there are", () => {
    const rows = tableRows(sectionOf(read("docs/webhooks.md"), "Types of events")).flatMap(([cell = ""]) =>
      codesOf(cell),
    );
    expect(rows).toEqual([...eventTypes, testEvent]);
  });
});

describe("examples of a setup file", () => {
  const examples = documents.flatMap((name) =>
    [...read(name).matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = ""], index) => ({ name, index, text })),
  );
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "hodhod-documents-"));
    mkdirSync(path.join(folder, "secrets"));
    writeFileSync(path.join(folder, "secrets/mci-1"), "secret");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(examples)("$name, $index has no fault of its own", ({ text }) => {
    expectSound(readSetupFile({ text, folder, environment: { SMSC_HOST: "127.0.0.1", API_KEY: "key-of-the-tests" } }));
  });
});

describe("docs/setup-file.md", () => {
  const setupFile = read("docs/setup-file.md");

  /** Keys of the objects in each section of a file that holds every key. */
  function keysOfFixture(): ReadonlyMap<string, ReadonlySet<string>> {
    const keys = new Map<string, Set<string>>();
    let section = "";
    for (const line of read("test/fixtures/setup.yaml").split("\n")) {
      section = /^(\w+):/.exec(line)?.[1] ?? section;
      const known = keys.get(section) ?? new Set();
      keys.set(section, known);
      for (const match of line.replace(/#.*$/, "").matchAll(/(?:^\s+(?:- )?|[{,]\s*)(\w+):/g))
        known.add(match[1] ?? "");
    }
    keys.delete("");
    return keys;
  }

  it("has every section, and every key in it", () => {
    const missing = [...keysOfFixture()].flatMap(([section, keys]) => {
      const text = sectionOf(setupFile, section);
      return [...keys].filter((key) => !text.includes(`\`${key}\``)).map((key) => `${section}.${key}`);
    });
    expect(missing).toEqual([]);
  });

  it("has every key of a connector with its default", () => {
    const rows = new Map(tableRows(sectionOf(setupFile, "connectors")).map(([key = "", value = ""]) => [key, value]));
    const wrong = Object.entries<SetupField>(connectorFields).flatMap(([key, { default: value, within }]) => {
      if (within !== undefined) return [];
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const expected = value === undefined ? "required" : text === "" ? '`""`' : text;
      const told = rows.get(`\`${key}\``);
      return told === expected ? [] : [`${key}: ${told ?? "missing"}, not ${expected}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe("docs/smpp-links.md", () => {
  const links = read("docs/smpp-links.md");

  it("has every key of a connector in its tables, in at most 1,200 words", () => {
    const listed = new Set(tableRows(links).flatMap(([keys = ""]) => codesOf(keys)));
    const keys = Object.entries<SetupField>(connectorFields).flatMap(([key, { within }]) => (within ? [] : [key]));
    expect(keys.filter((key) => !listed.has(key))).toEqual([]);
    expect(links.split(/\s+/).length).toBeLessThanOrEqual(1_200);
  });
});

describe("docs/simulator.md", () => {
  it("has exactly the behaviours that there are", () => {
    const rows = tableRows(sectionOf(read("docs/simulator.md"), "Behaviours")).filter(([suffix = ""]) =>
      /^\d{4}$/.test(suffix),
    );
    expect(rows).toEqual(behaviours.map(({ suffix, name, summary }) => [suffix, name, summary]));
  });
});

describe("docs/message-lifecycle.md", () => {
  const lifecycle = read("docs/message-lifecycle.md");

  it("has the transitions of the state machine", () => {
    const states: readonly (readonly [MessageStatus, ReasonCode | undefined])[] = [
      [0, undefined],
      [0, reasonCode.outcomeUnknown],
      [0, reasonCode.inReview],
      [1, undefined],
      [1, reasonCode.noReceipt],
      [2, undefined],
      [3, reasonCode.undelivered],
      [4, reasonCode.refused],
      [4, reasonCode.outcomeUnknown],
    ];
    const expected = messageEvents.map((event) => [
      event,
      ...states.map(([status, reason]) => {
        const next = nextStatus(status, reason, event);
        const nextReason = reasonAfter(reason, event);
        if (next === "ignored") return "·";
        return nextReason === undefined ? String(next) : `${next} (${nextReason})`;
      }),
    ]);
    const rows = tableRows(sectionOf(lifecycle, "Transitions")).filter(
      ([event = "", ...cells]) => cells.length === states.length && messageEvents.some((known) => known === event),
    );
    expect(rows).toEqual(expected);
  });

  it("explains every reason", () => {
    const rows = tableRows(sectionOf(lifecycle, "Reasons")).map(([reason]) => reason);
    expect(Object.values(reasonCode).filter((reason) => !rows.includes(String(reason)))).toEqual([]);
  });
});
