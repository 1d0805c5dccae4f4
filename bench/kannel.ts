// Kannel (Debian's package) bound to the simulated SMSC, for comparison: bearerbox with its file
// store and DLR in memory, one smsbox. Its ports and files are the benchmark's own.
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "./processes.ts";

const ports = { admin: 23_110, smsbox: 23_111, sendsms: 23_113 } as const;

export interface Kannel {
  readonly port: number;
  readonly password: string;
  /** Of bearerbox and smsbox. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

const bearerboxPath = "/usr/sbin/bearerbox";
const smsboxPath = ["/usr/sbin/smsbox", "/usr/lib/kannel/smsbox", "/usr/bin/smsbox"].find(existsSync) ?? "";

export const hasKannel = existsSync(bearerboxPath) && smsboxPath !== "";

export async function startKannel(smscPort: number): Promise<Kannel> {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-bench-kannel-"));
  mkdirSync(path.join(folder, "store"));
  const file = path.join(folder, "kannel.conf");
  writeFileSync(file, configuration(folder, smscPort));
  const bearerbox = run({ command: bearerboxPath, args: ["-v", "4", file] });
  await untilListening(ports.smsbox);
  const smsbox = run({ command: smsboxPath, args: ["-v", "4", file] });
  await untilListening(ports.sendsms);
  return {
    port: ports.sendsms,
    password: "bench",
    pids: [bearerbox.pid, smsbox.pid],
    stop: async () => {
      await smsbox.stop("SIGKILL");
      await bearerbox.stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, smscPort: number): string {
  return `group = core
admin-port = ${ports.admin}
admin-password = bench
smsbox-port = ${ports.smsbox}
box-allow-ip = "127.0.0.1"
store-type = file
store-location = ${folder}/store/kannel.store
dlr-storage = internal
sms-outgoing-queue-limit = 10000000

group = smsc
smsc = smpp
smsc-id = bench
host = 127.0.0.1
port = ${smscPort}
smsc-username = bench
smsc-password = bench
system-type = ""
transceiver-mode = true
max-pending-submits = 100
wait-ack-expire = 0x01
msg-id-type = 0x00
source-addr-ton = 0
source-addr-npi = 1
dest-addr-ton = 1
dest-addr-npi = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.sendsms}

group = sendsms-user
username = bench
password = bench
max-messages = 10
concatenation = true
`;
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const probe = connect({ host: "127.0.0.1", port });
    const isOpen = await once(probe, "connect").catch(() => undefined);
    probe.destroy();
    if (isOpen !== undefined) return;
    await delay(100);
  }
  throw new Error(`Kannel does not listen on ${port}`);
}
