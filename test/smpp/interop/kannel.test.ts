/**
 * Against Kannel: its bearerbox as a foreign ESME bound to the simulator, and its drive_smpp as a
 * foreign SMSC for our client.
 */

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../bench/free-port.ts";
import { startSimulatedSmsc } from "../../../src/simulator/simulated-smsc.ts";
import { connectAndBind } from "../../../src/smpp/client.ts";
import type { SmppSession } from "../../../src/smpp/session.ts";
import { submitTo } from "../pdu-samples.ts";
import { deferred } from "../session-pair.ts";
import { findTool, startTool, titled } from "./foreign-tools.ts";

const bearerbox = findTool("bearerbox");
const smsbox = findTool("smsbox");
const driveSmpp = findTool("drive_smpp");

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hodhod-kannel-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const hasKannel = bearerbox !== undefined && smsbox !== undefined;

describe.skipIf(!hasKannel)(titled("bearerbox as ESME", hasKannel, "kannel"), () => {
  it("binds to the simulator, sends, hears of delivery, receives a subscriber's message", async () => {
    const smsc = await startSimulatedSmsc({ systemId: "kannel", password: "secret", receiptDelayMs: 100 });
    ends.push(() => smsc.stop());
    const delivered = deferred<string>();
    const inbound = deferred<string>();
    const web = createHttpServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
      if (pathname === "/dlr") delivered.resolve(searchParams.get("type") ?? "");
      if (pathname === "/mo") inbound.resolve(searchParams.get("text") ?? "");
      response.end("ok");
    }).listen(0, "127.0.0.1");
    await once(web, "listening");
    ends.push(() => web.close());
    const webPort = (web.address() as AddressInfo).port;
    const [adminPort, boxPort, sendPort] = [await freePort(), await freePort(), await freePort()];
    const folder = temporaryFolder();
    const file = join(folder, "kannel.conf");
    writeFileSync(
      file,
      `group = core
admin-port = ${adminPort}
admin-password = bar
smsbox-port = ${boxPort}
store-file = "${join(folder, "store")}"
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = simulator
host = 127.0.0.1
port = ${smsc.port}
transceiver-mode = true
smsc-username = kannel
smsc-password = secret
system-type = ""
source-addr-ton = 1
source-addr-npi = 1
dest-addr-ton = 1
dest-addr-npi = 1
enquire-link-interval = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${sendPort}

group = sendsms-user
username = test
password = test

group = sms-service
keyword = default
get-url = "http://127.0.0.1:${webPort}/mo?text=%a"
max-messages = 0
catch-all = true
`,
    );
    const bound = smsc.next("bind");
    startTool(bearerbox ?? "", ["-v", "1", file], folder);
    expect(await bound).toMatchObject({ command: "bind_transceiver", system_id: "kannel" });
    const box = startTool(smsbox ?? "", ["-v", "0", file], folder);
    await box.line(/identified|Connected to bearerbox/);

    const submitted = smsc.next("submit");
    const acknowledged = smsc.next("receiptAnswered");
    const query = new URLSearchParams({
      username: "test",
      password: "test",
      from: "10001234",
      to: "989121239999",
      text: "سلام",
      coding: "2",
      charset: "UTF-8",
      "dlr-mask": "31",
      "dlr-url": `http://127.0.0.1:${webPort}/dlr?type=%d`,
    });
    const answer = await fetch(`http://127.0.0.1:${sendPort}/cgi-bin/sendsms?${query.toString()}`);
    expect(answer.status).toBe(202);
    expect((await submitted).text).toBe("سلام");
    expect(await acknowledged).toMatchObject({ state: "DELIVRD", commandStatus: 0 });
    // Kannel's first report (8, accepted by the SMSC) or its last (1, delivered): either proves
    // that our answers are understood.
    expect(["1", "8"]).toContain(await delivered.promise);
    expect(await smsc.sendMo({ from: "989121234567", to: "10001234", text: "hello Kannel" })).toBe(0);
    expect(await inbound.promise).toBe("hello Kannel");
  });
});

const hasDrive = driveSmpp !== undefined;

describe.skipIf(!hasDrive)(titled("drive_smpp as SMSC", hasDrive, "drive_smpp (kannel-extras)"), () => {
  it("binds us, sends us its messages and takes ours", async () => {
    const port = await freePort();
    const count = 50;
    const drive = startTool(driveSmpp ?? "", ["-v", "0", "-p", String(port), "-m", String(count)], temporaryFolder());
    const all = deferred<undefined>();
    let received = 0;
    const bind = (bindType: "transmitter" | "receiver"): Promise<SmppSession> =>
      connectAndBind({
        host: "127.0.0.1",
        port,
        systemId: "hodhod",
        password: "secret",
        bindType,
        onRequest: () => {
          received += 1;
          if (received === count) all.resolve(undefined);
          return { command_status: 0 };
        },
      });
    await drive.line(/accept_thread/);
    // It says nothing when it listens.
    let transmitter: SmppSession | undefined;
    while (transmitter === undefined) transmitter = await bind("transmitter").catch(() => undefined);
    const receiver = await bind("receiver");
    await drive.line(/All messages sent to ESME/);
    await all.promise;
    const replies = await Promise.all(
      Array.from({ length: count }, () => transmitter.request(submitTo("989121234567"))),
    );
    expect(replies.every((reply) => reply.kind === "response" && reply.pdu.command_status === 0)).toBe(true);
    transmitter.close();
    receiver.close();
  });
});
