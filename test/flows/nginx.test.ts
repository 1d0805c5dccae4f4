// The proxy of docs/operate/install.md: nginx, set up as written there, in front of a gateway.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Agent, fetch, type RequestInit, type Response } from "undici";
import { freePort } from "../../bench/free-port.ts";
import { findTool, titled } from "../smpp/interop/foreign-tools.ts";
import { signInStaff, staffPassword } from "../support/console.ts";
import { keys, openTestApi, type TestApi } from "../support/test-api.ts";

const guide = readFileSync(new URL("../../docs/operate/install.md", import.meta.url), "utf8");
const certificates = fileURLToPath(new URL("../fixtures/tls", import.meta.url));
const agent = new Agent({ connect: { ca: readFileSync(path.join(certificates, "ca.pem")) } });
const program = findTool("nginx");

let api: TestApi;
let folder: string;
let nginx: ChildProcess;
let url: string;

beforeAll(async () => {
  if (program === undefined) return;
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-nginx-"));
  api = await openTestApi({ HODHOD_TRUST_PROXY: "127.0.0.1" });
  const port = await freePort();
  url = `https://127.0.0.1:${port}`;
  const file = path.join(folder, "nginx.conf");
  writeFileSync(file, configuration(port, await api.listen()));
  nginx = await start(program, file);
});

afterAll(async () => {
  if (program === undefined) return;
  await agent.destroy();
  nginx.kill("SIGKILL");
  await once(nginx, "close");
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The block of the guide, with ports and files of this test. */
function configuration(port: number, gatewayPort: number): string {
  const [, block = ""] = /^```nginx\n([^]*?)^```/m.exec(guide) ?? [];
  const changes: readonly (readonly [written: string, here: string])[] = [
    ["127.0.0.1:8080", `127.0.0.1:${gatewayPort}`],
    ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
    ["/etc/ssl/sms.pem", path.join(certificates, "server.pem")],
    ["/etc/ssl/sms.key", path.join(certificates, "server-key.pem")],
    ["/var/log/nginx/hodhod.log", path.join(folder, "access.log")],
    ["/var/log/nginx/hodhod-error.log", path.join(folder, "error.log")],
  ];
  let server = block;
  for (const [written, here] of changes) {
    expect(server).toContain(written);
    server = server.replace(written, here);
  }
  // Those for which only root may make a folder at the usual place.
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${path.join(folder, kind)};`,
  );
  return `daemon off;\nmaster_process off;\npid ${path.join(folder, "pid")};\nerror_log stderr notice;\nevents {}\nhttp {\n${temporary.join("\n")}\n${server}}\n`;
}

/** Resolves when it takes connections. */
async function start(nginxProgram: string, file: string): Promise<ChildProcess> {
  const child = spawn(nginxProgram, ["-c", file, "-e", "stderr"], { stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      told += text;
      // Said after it listens.
      if (/using the "\w+" event method/.test(told)) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`nginx ended: ${told}`)));
  });
  return child;
}

function call(target: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}${target}`, { dispatcher: agent, ...init });
}

async function codeOf(answer: Response): Promise<unknown> {
  return ((await answer.json()) as { readonly errorCode?: number }).errorCode;
}

describe.skipIf(program === undefined)(titled("behind nginx", program !== undefined, "nginx"), () => {
  it("a query of 100 long texts comes through, and no log holds what is in it", async () => {
    const content = encodeURIComponent("سلام ".repeat(130));
    const texts = Array.from({ length: 100 }, () => `content=${content}`).join("&");
    const query = `apiKey=${keys.demo}&senderNumber=10001234&recipientNumber=09121234567&${texts}`;
    expect(query.length).toBeGreaterThan(350_000);
    const answer = await call(`/api/v1/messages/send/url?${query}`);
    const { messages } = (await answer.json()) as { readonly messages: readonly { readonly errorCode?: number }[] };
    expect([answer.status, messages.length, messages.filter(({ errorCode }) => errorCode)]).toEqual([200, 100, []]);

    const log = readFileSync(path.join(folder, "access.log"), "utf8");
    expect(log).toMatch(/"GET \/api\/v1\/messages\/send\/url" 200 \d+/);
    expect(log + readFileSync(path.join(folder, "error.log"), "utf8")).not.toMatch(/apiKey|0912|content/);
  });

  it("a body above the limit is refused, and one below comes through", async () => {
    const bodyOf = (letters: number): RequestInit => ({
      method: "POST",
      headers: { "x-api-key": keys.demo, "content-type": "application/json" },
      body: JSON.stringify({ senderNumber: "10001234", recipientNumber: "09121234567", content: "x".repeat(letters) }),
    });
    expect((await call("/messages/send", bodyOf(1_100_000))).status).toBe(413);
    // The gateway's own word: the text has too many parts.
    const answer = await call("/messages/send", bodyOf(1_000_000));
    expect([answer.status, await codeOf(answer)]).toEqual([400, 1001]);
  });

  it.each(["/metrics", "/Metrics", "/metrics/", "//metrics", "/x/../metrics"])(
    "%s is not for callers",
    async (target) => {
      const answer = await call(target);
      expect(answer.status).toBe(403);
      expect(await answer.text()).not.toContain("hodhod_");
    },
  );

  it("the caller's address is what nginx saw, whatever the caller says", async () => {
    const forged = { "x-api-key": keys.fenced, "x-forwarded-for": "10.1.2.3" };
    const answer = await call("/account/balance", { headers: forged });
    expect([answer.status, await codeOf(answer)]).toEqual([403, 1006]);
    // Who may say so is let in: that address is let in.
    const { status } = await api.call("GET", "/account/balance", { headers: forged });
    expect(status).toBe(200);
  });

  it("people sign in to the console, with a cookie for TLS alone, and see figures as they come", async () => {
    await signInStaff(api, "administrator");
    const answer = await call("/console/api/session", {
      method: "POST",
      headers: { "x-hodhod-console": "1", "content-type": "application/json", origin: url },
      body: JSON.stringify({ username: "administrator", password: staffPassword }),
    });
    expect(answer.status).toBe(200);
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/; Secure$/);

    const session = await call("/console/api/session", { headers: { cookie: cookie.split(";", 1)[0] ?? "" } });
    expect(session.status).toBe(200);
  });
});
