/**
 * Against `openssl s_server`, which passes what it decrypts to a simulated SMSC: a server that
 * demands a certificate of ours, and one that has nothing newer than TLS 1.0.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../bench/free-port.ts";
import { startSimulatedSmsc } from "../../../src/simulator/simulated-smsc.ts";
import { connectAndBind, type TlsSettings } from "../../../src/smpp/client.ts";
import { findTool, titled } from "./foreign-tools.ts";

const openssl = findTool("openssl") ?? "";
const folder = mkdtempSync(join(tmpdir(), "hodhod-openssl-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A certificate that is its own authority, with its key. */
function makePair(name: string): { readonly certFile: string; readonly cert: string; readonly key: string } {
  const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${name}`];
  const made = spawnSync(openssl, [...args, "-keyout", keyFile, "-out", certFile]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  return { certFile, cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

/** Resolves with its port when it listens. */
async function startServer(args: readonly string[]): Promise<number> {
  const smsc = await startSimulatedSmsc();
  onTestFinished(() => smsc.stop());
  const port = await freePort();
  const files = ["server.pem", "server-key.pem"].map(
    (name) => new URL(`../../fixtures/tls/${name}`, import.meta.url).pathname,
  );
  const given = ["s_server", "-accept", `127.0.0.1:${port}`, "-cert", files[0] ?? "", "-key", files[1] ?? ""];
  const child = spawn(openssl, [...given, "-quiet", ...args]);
  const link = connect(smsc.port, "127.0.0.1");
  onTestFinished(() => {
    child.kill();
    link.destroy();
  });
  child.stdout.pipe(link);
  link.pipe(child.stdin);
  // It serves one connection after the other.
  for (let isUp = false; !isUp;)
    isUp = await new Promise<boolean>((resolve) => {
      const probe = connect(port, "127.0.0.1", () => {
        probe.destroy();
        resolve(true);
      }).on("error", () => setTimeout(resolve, 50, false));
    });
  return port;
}

const bind = (port: number, tls: Partial<TlsSettings>) =>
  connectAndBind({
    ...{ host: "127.0.0.1", port, systemId: "hodhod", password: "secret", bindType: "transceiver" },
    tls: { verify: false, ...tls },
  });

describe.skipIf(openssl === "")(titled("openssl s_server", openssl !== "", "openssl"), () => {
  it.each(["-tls1_2", "-tls1_3"])("that demands a certificate of ours gets it (%s)", async (version) => {
    const { certFile, cert, key } = makePair(`client${version}`);
    const demand = [version, "-Verify", "1", "-verify_return_error", "-CAfile", certFile];
    const session = await bind(await startServer(demand), { cert, key });
    expect(session.bound?.system_id).toBeDefined();
    await session.unbind();
    const stranger = makePair(`stranger${version}`);
    for (const tls of [{}, { cert: stranger.cert, key: stranger.key }])
      await expect(bind(await startServer(demand), tls)).rejects.toThrow(/alert|certificate/i);
  });

  it("that has TLS 1.0 only is refused, unless it is allowed", async () => {
    const old = ["-tls1", "-cipher", "ALL:@SECLEVEL=0"];
    await expect(bind(await startServer(old), {})).rejects.toThrow(/version|unsupported/i);
    const session = await bind(await startServer(old), { minVersion: "1.0" });
    expect(session.bound).toBeDefined();
    await session.unbind();
  });
});
