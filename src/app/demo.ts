// Runs the whole service on one machine: database, simulated operator over real SMPP, and demo
// account. Sends three messages, follows them until they have a final status, and keeps running for
// the user to try.
import { randomBytes } from "node:crypto";
import path from "node:path";
import {
  type GatewayProcess,
  type GatewayProcessOptions,
  startGatewayProcess,
  tryToListen,
} from "./gateway-process.ts";
import type { Config } from "../platform/config.ts";
import { savePerson } from "../credentials/people.ts";
import { makeDataFolder } from "../postgres/embedded-postgres.ts";
import { applySetup } from "../setup/change-setup.ts";
import { type SimulatedSmsc, startSimulatedSmsc } from "../simulator/simulated-smsc.ts";
import { gatewayActor } from "../store/audit.ts";
import { hasStaff } from "../store/people.ts";
import { followDemoMessages } from "./demo-messages.ts";
import { demoTraffic } from "./demo-traffic.ts";
import {
  demoLine,
  demoSecrets,
  type DemoSecrets,
  demoServiceLine,
  demoSetup,
  demoStaff,
  demoSystemId,
  demoUser,
} from "./demo-setup.ts";

export interface DemoOptions {
  /** dataDir is already the demo's own folder. */
  readonly config: Config;
  readonly tell: (line: string) => void;
}

export interface RunningDemo {
  readonly url: string;
  readonly apiKey: string;
  readonly console: ConsoleLogins;
  /** Sends the demo's messages and follows them. Returns how many were delivered. */
  showMessages(): Promise<number>;
  /** Prints what the user can try. */
  tellWhatNow(): void;
  stop(): Promise<void>;
}

/** Who can sign in to the console, and where. */
export interface ConsoleLogins {
  readonly consoleUrl: string;
  readonly staff: { readonly username: string; readonly password: string; readonly link?: string };
  readonly customer: {
    readonly username: string;
    readonly password: string;
    readonly organisation: string;
    readonly link?: string;
  };
}

/** The sign-in of one person for the console. */
type DemoTicket = NonNullable<GatewayProcessOptions["demoTickets"]>[number];

const logFileName = "gateway.log";

export async function startDemo({ config, tell }: DemoOptions): Promise<RunningDemo> {
  makeDataFolder(config.dataDir);
  tell("Hodhod demo: everything runs on this machine, and nothing leaves it\n");
  const port = await freePort(config, tell);
  const secrets = demoSecrets(config.dataDir);
  const smsc = await startSimulatedSmsc({
    systemId: demoSystemId,
    password: secrets.smscPassword,
    submitDelayMs: 150,
    receiptDelayMs: 600,
  });
  tell(`  simulated operator listens on 127.0.0.1:${smsc.port} (SMPP 3.4)`);
  const tickets = isLoopback(config.host) && config.console ? newTickets() : [];
  try {
    const gatewayProcess = await startGateway({ config: { ...config, port }, secrets, smsc, tickets, tell });
    const { gateway, db, telemetry } = gatewayProcess;
    const url = gateway.address;
    const { apiKey } = secrets;
    tell(`  gateway listens on ${url}`);
    const logins = consoleLogins(url, secrets, tickets);
    tellLinks(logins, tell);
    const traffic = demoTraffic({ db, telemetry, url, apiKey, senderNumber: demoLine });
    await traffic.start();
    return {
      url,
      apiKey,
      console: logins,
      showMessages: () => {
        tell("\nThree messages, sent through its own HTTP API:\n");
        return followDemoMessages({ url, apiKey, senderNumber: demoLine }, tell);
      },
      tellWhatNow: () => {
        tellLinks(logins, tell);
        tellWhatNow({ url, secrets, config }, tell);
      },
      stop: async () => {
        await traffic.stop();
        await gatewayProcess.stop().finally(() => smsc.stop());
      },
    };
  } catch (error) {
    await smsc.stop();
    throw error;
  }
}

/** Tickets that open the console, one as staff and one as a customer, while this process runs. */
function newTickets(): readonly [staff: DemoTicket, customer: DemoTicket] {
  const ticket = () => randomBytes(16).toString("base64url");
  const { username, organisation } = demoUser;
  return [
    { ticket: ticket(), username: demoStaff },
    { ticket: ticket(), username, organisation },
  ];
}

function consoleLogins(url: string, secrets: DemoSecrets, [staff, customer]: readonly DemoTicket[]): ConsoleLogins {
  const consoleUrl = `${url}/console`;
  // Behind `#`: a browser sends it to nobody.
  const link = (ticket?: DemoTicket) => ticket && { link: `${consoleUrl}/sign-in#ticket=${ticket.ticket}` };
  return {
    consoleUrl,
    staff: { username: demoStaff, password: secrets.staffPassword, ...link(staff) },
    customer: { ...demoUser, password: secrets.password, ...link(customer) },
  };
}

/** Not in columns: they would be longer than 80. */
function tellLinks({ staff, customer }: ConsoleLogins, tell: (line: string) => void): void {
  if (staff.link === undefined || customer.link === undefined) return;
  tell("\nOpen the console as staff, who run the service:");
  tell(`  ${staff.link}`);
  tell("Open the console as a customer, who sends messages:");
  tell(`  ${customer.link}`);
}

async function startGateway({
  config,
  secrets,
  smsc,
  tickets,
  tell,
}: {
  config: Config;
  secrets: DemoSecrets;
  smsc: SimulatedSmsc;
  tickets: readonly DemoTicket[];
  tell: (line: string) => void;
}): Promise<GatewayProcess> {
  return startGatewayProcess({
    config,
    progress: (line) => tell(`  ${line}`),
    logFile: path.join(config.dataDir, logFileName),
    demoTickets: tickets,
    // The page shows the password to everybody who opens it, so only on a loopback address.
    ...(isLoopback(config.host) && {
      exampleLogin: { userName: demoUser.username, password: secrets.password, domain: demoUser.organisation },
    }),
    prepare: async (db) => {
      const text = demoSetup(secrets, smsc.port);
      await applySetup(db, { text, folder: config.dataDir, prune: false, dryRun: false });
      if (!(await hasStaff(db))) {
        const administrator = { role: "administrator", password: secrets.staffPassword, keepsPassword: true } as const;
        await savePerson({ db, actor: gatewayActor, username: demoStaff }, administrator);
      }
    },
  });
}

/** The configured port, or any free port if another program uses it. */
async function freePort({ host, port }: Config, tell: (line: string) => void): Promise<number> {
  if ((await tryToListen(host, port)) === undefined) return port;
  tell(`  port ${port} is used by another program; using a free port (or set HODHOD_PORT)`);
  return 0;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/** Lines of at most 80 columns, ready to paste. */
function tellWhatNow(
  { url, secrets, config }: { url: string; secrets: DemoSecrets; config: Config },
  tell: (line: string) => void,
): void {
  const folder = path.relative(process.cwd(), config.dataDir);
  tell(`
Paste this into another terminal to send a message and see its status:

KEY=${secrets.apiKey}
BATCH=$(curl -s ${url}/messages/send \\
  -H "X-Api-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"senderNumber":"${demoLine}","recipientNumber":"09121234567",
       "content":"سلام دنیا"}' | sed 's/.*"batchId":"\\([^"]*\\)".*/\\1/')
curl -s "${url}/messages/status?batchId=$BATCH" \\
  -H "X-Api-Key: $KEY"

  console         ${url}/console
  documentation   ${url}/docs
  health          ${url}/health/ready
  metrics         ${url}/metrics
  user            ${demoUser.username}, password ${secrets.password}, domain ${demoUser.organisation}
  staff           ${demoStaff}, password ${secrets.staffPassword} (console only)
  data and log    ${folder.length > 60 ? config.dataDir : folder}

The last four digits of the recipient select what the simulated operator does:
0001 is reported as undelivered, 0010 is refused, 0021 is never answered, and
0050 replies. bin/hodhod simulate --help lists all of them.

To see an opt-out, send to 09121230052 from the service line ${demoServiceLine}: the
recipient replies «لغو», and the next message to that number is refused (1202).

Ctrl-C stops everything. The data is kept for the next start.`);
}
