// The samples of docs/webhooks.md that verify a webhook, each run by its own language, with
// requests signed by the reference library. A language that is not installed is skipped, and says
// so.
import { execFile, spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, it } from "vitest";

const document = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
const folder = mkdtempSync(path.join(tmpdir(), "hodhod-samples-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Language {
  readonly name: string;
  /** Of its block in the document. */
  readonly fence: string;
  /** Tells its version. */
  readonly probe: readonly [string, ...string[]];
  /** Appended to the sample: reads cases from the file named first and prints one line for each. */
  readonly driver: string;
  readonly file: string;
  readonly run: (file: string) => readonly [string, ...string[]];
}

const languages: readonly Language[] = [
  {
    name: "Python",
    fence: "python",
    probe: ["python3", "--version"],
    driver: `
import sys
for case in json.load(open(sys.argv[1], encoding="utf8")):
    try:
        events = verify_webhook(case["secrets"], case["headers"], case["body"].encode())
        print(",".join(event["id"] + " " + event["type"] for event in events))
    except ValueError:
        print("refused")
`,
    file: "sample.py",
    run: (file) => ["python3", file],
  },
  {
    name: "PHP",
    fence: "php",
    probe: ["php", "--version"],
    driver: `
foreach (json_decode(file_get_contents($argv[1]), true) as $case) {
    try {
        $events = verifyWebhook($case['secrets'], $case['headers'], $case['body']);
        echo implode(',', array_map(fn ($event) => $event['id'] . ' ' . $event['type'], $events)), "\\n";
    } catch (InvalidArgumentException) {
        echo "refused\\n";
    }
}
`,
    file: "sample.php",
    run: (file) => ["php", file],
  },
  {
    name: "C#",
    fence: "csharp",
    // A file runs without a project from version 10 on.
    probe: ["dotnet", "run", "--help", "--file", "x.cs"],
    driver: `
static class Driver
{
    public static void Main(string[] args)
    {
        foreach (var one in JsonDocument.Parse(File.ReadAllText(args[0])).RootElement.EnumerateArray())
        {
            try
            {
                var secrets = one.GetProperty("secrets").EnumerateArray().Select(each => each.GetString()!);
                var headers = one.GetProperty("headers").EnumerateObject().ToDictionary(each => each.Name, each => each.Value.GetString()!);
                var events = Webhooks.Verify(secrets, headers, Encoding.UTF8.GetBytes(one.GetProperty("body").GetString()!));
                Console.WriteLine(string.Join(",", events.Select(each => each.Id + " " + each.Event.GetProperty("type").GetString())));
            }
            catch (InvalidDataException) { Console.WriteLine("refused"); }
        }
    }
}
`,
    file: "sample.cs",
    run: (file) => ["dotnet", "run", file, "--"],
  },
];

const [secret, other] = [1, 2].map(() => `whsec_${randomBytes(32).toString("base64")}`) as [string, string];
const event = {
  type: "message.received",
  timestamp: "2026-11-21T08:30:00.123Z",
  data: { content: "لغو ۱۱ \\ \u2028" },
};
const batch = {
  ...event,
  type: "batch",
  data: { events: ["e-1", "e-2"].map((id) => ({ id, ...event })) },
};

interface Case {
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly wanted: string;
}

function caseOf(value: object, wanted: string, { by = [secret], secrets = [secret], age = 0 } = {}): Case {
  const body = JSON.stringify(value);
  const at = new Date(Date.now() - age * 1000);
  const headers = {
    "Webhook-Id": "e-0",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": by.map((one) => new Webhook(one).sign("e-0", at, body)).join(" "),
  };
  return { secrets, headers, body, wanted };
}

function cases(): readonly Case[] {
  const single = "e-0 message.received";
  const good = caseOf(event, single);
  return [
    good,
    caseOf(batch, "e-1 message.received,e-2 message.received"),
    caseOf(event, single, { by: [other], secrets: [secret, other] }),
    caseOf(event, single, { by: [other, secret] }),
    caseOf(event, "refused", { by: [other] }),
    caseOf(event, "refused", { age: 3600 }),
    caseOf(event, "refused", { age: -3600 }),
    { ...good, body: `${good.body} `, wanted: "refused" },
    { ...good, headers: { ...good.headers, "Webhook-Id": "e-9" }, wanted: "refused" },
    { ...good, headers: { ...good.headers, "webhook-signature": "v1," }, wanted: "refused" },
    { ...good, headers: {}, wanted: "refused" },
    signedWithEmptyKey(good),
  ];
}

/** By a secret that was left empty: anybody can sign so. */
function signedWithEmptyKey({ headers, body }: Case): Case {
  const signed = `e-0.${headers["webhook-timestamp"] ?? ""}.${body}`;
  const signature = `v1,${createHmac("sha256", "").update(signed).digest("base64")}`;
  return { secrets: ["whsec_"], headers: { ...headers, "webhook-signature": signature }, body, wanted: "refused" };
}

function isInstalled([program, ...args]: readonly [string, ...string[]]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

function run([program, ...args]: readonly [string, ...string[]]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { encoding: "utf8" }, (error, output, complaint) =>
      error === null ? resolve(output) : reject(new Error(`${output}\n${complaint}`, { cause: error })),
    );
  });
}

describe("samples that verify a webhook", () => {
  for (const { name, fence, probe, driver, file, run: commandOf } of languages)
    it(`in ${name}`, async ({ skip }) => {
      const [, code] = new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(document) ?? [];
      if (code === undefined) throw new Error(`no sample in ${name}`);
      if (!isInstalled(probe)) skip(`${probe[0]} is not installed`);
      const sample = path.join(folder, file);
      writeFileSync(sample, code + driver);
      const given = cases();
      const input = path.join(folder, `${file}.json`);
      writeFileSync(input, JSON.stringify(given));
      const output = await run([...commandOf(sample), input] as [string, ...string[]]);
      expect(output.trimEnd().split(/\r?\n/)).toEqual(given.map(({ wanted }) => wanted));
    });
});
