// Two nodes as real processes behind one address, as behind a proxy, and the console open at the
// first: it is killed, and the same session goes on at the second, which tells the truth of both.
import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, type RunningProcess } from "../../bench/processes.ts";
import { seedOperators } from "../../src/setup/save-setup.ts";
import { type SimulatedSmsc, startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { buildConsole, closePages, isBrowserThere, openBrowser, see } from "../support/browser.ts";
import { addStaff, staffPassword } from "../support/console.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/factories.ts";
import { baseSetup } from "../support/gateway-setup.ts";
import { goOn, openPageAs } from "../support/open-console.ts";
import { applyDocument } from "../support/apply-document.ts";

interface Node {
  readonly process: RunningProcess;
  readonly port: number;
}

let database: TestDatabase;
let smsc: SimulatedSmsc;
let browser: Browser;
let proxy: Server;
const nodes: Node[] = [];
const sockets = new Set<Socket>();

async function startNode(): Promise<Node> {
  const env = { DATABASE_URL: database.url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "warn" };
  const process_ = run({ command: process.execPath, args: ["bin/hodhod", "serve"], env });
  const [, port = ""] = await process_.line(/listening on http:\S+:(\d+)/);
  return { process: process_, port: Number(port) };
}

/** Leads each connection to the first node that takes it. */
function forward(client: Socket, [first, ...others] = nodes): void {
  if (first === undefined) {
    client.destroy();
    return;
  }
  sockets.add(client);
  const upstream = connect(first.port, "127.0.0.1");
  let isOpen = false;
  upstream.once("connect", () => {
    isOpen = true;
    client.pipe(upstream).pipe(client);
  });
  upstream.on("error", () => (isOpen ? client.destroy() : forward(client, others)));
  upstream.on("close", () => isOpen && client.destroy());
  client.on("error", () => upstream.destroy());
  client.on("close", () => upstream.destroy());
}

describe.skipIf(!isBrowserThere)("the console of two nodes", () => {
  beforeAll(async () => {
    await buildConsole();
    database = await createTestDatabase();
    smsc = await startSimulatedSmsc({ behaviours: [] });
    await seedOperators(database.db);
    const connector = { responseTimeoutMs: 5000, enquireLinkSeconds: 30, binds: 2 };
    const text = JSON.stringify(baseSetup([smsc.port], connector));
    await applyDocument(database.db, text);
    const by = { db: database.db, actor: { who: "command:test@test" } };
    await addStaff(by, { username: "vida", password: staffPassword, role: "viewer" });
    for (let count = 0; count < 2; count += 1) nodes.push(await startNode());
    proxy = createServer((client) => forward(client));
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closePages(browser);
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await Promise.all(nodes.map((node) => node.process.stop("SIGKILL")));
    await smsc.stop("destroy");
    await database.drop();
  });

  it("goes on at the other when one is killed, and tells of both what is true", async () => {
    const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/console`;
    const { page } = await openPageAs({ base, browser, api: database }, "vida", { next: "/overview" });
    const row = (node: Node | undefined) =>
      page.getByRole("row").filter({ hasText: new RegExp(`· ${node?.process.pid ?? ""}(?!\\d)`) });
    const [killed, left] = nodes;
    // One bind each: nodes share them out.
    for (const node of nodes) await see(row(node), "OK", { exact: true });
    for (const node of nodes) await see(row(node), "1 of 1");
    await see(page, "Bound 2 of 2");

    const again = page.waitForResponse((answer) => answer.url().endsWith("/api/live"));
    await killed?.process.stop("SIGKILL");
    expect((await again).status()).toBe(200);
    const silence = row(killed).getByText(/^Silent for/);
    await silence.waitFor();
    await see(row(left), "OK", { exact: true });
    await see(row(left), "2 of 2");
    await see(page, "Bound 2 of 2");
    await eventually(() => smsc.sessions.length === 2);
    expect(await page.getByText("The gateway has been unreachable").count()).toBe(0);
    expect(await page.locator("html[data-lost]").count()).toBe(0);
    // It is a stream, not a last look.
    const told = await silence.textContent();
    await expect.poll(() => silence.textContent()).not.toBe(told);

    await goOn(page, `${base}/connectors`);
    await page
      .getByRole("row")
      .filter({ hasText: /smsc-1.*2\/2/ })
      .waitFor();
    await goOn(page, `${base}/profile`);
    await page.getByText("127.0.0.1").first().waitFor();
    expect(page.url()).toBe(`${base}/profile`);
  });
});
