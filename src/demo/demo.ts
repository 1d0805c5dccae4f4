// The whole service on one machine: database, simulated operator behind real SMPP, demo account, three messages followed to their end. Then it
// stays up for the reader to try.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type GatewayProcess, startGatewayProcess } from "../cli/gateway-process.ts";
import { tryToListen } from "../cli/try-to-listen.ts";
import type { Config } from "../config.ts";
import { applySetup } from "../setup/apply-setup.ts";
import { behaviours } from "../simulator/behaviours.ts";
import { type SimulatedSmsc, startSimulatedSmsc } from "../simulator/simulated-smsc.ts";
import { followDemoMessages } from "./demo-messages.ts";
import { demoLine, demoSecrets, type DemoSecrets, demoSetup, demoSystemId } from "./demo-setup.ts";

export interface DemoOptions {
  /** With dataDir already the demo's own. */
  readonly config: Config;
  readonly tell: (line: string) => void;
}

export interface RunningDemo {
  readonly url: string;
  readonly apiKey: string;
  /** Sends the demo's messages and follows them. Answers how many were delivered. */
  showMessages(): Promise<number>;
  /** What the reader can try now. */
  tellWhatNow(): void;
  stop(): Promise<void>;
}

const logFileName = "gateway.log";

export async function startDemo({ config, tell }: DemoOptions): Promise<RunningDemo> {
  mkdirSync(config.dataDir, { recursive: true });
  tell("Hodhod demo: everything on this machine, nothing leaves it\n");
  const port = await freePort(config, tell);
  const secrets = demoSecrets(config.dataDir);
  const smsc = await startSimulatedSmsc({
    systemId: demoSystemId,
    password: secrets.smscPassword,
    submitDelayMs: 150,
    receiptDelayMs: 600,
  });
  tell(`  simulated operator listens on 127.0.0.1:${smsc.port} (SMPP 3.4)`);
  try {
    const gatewayProcess = await startGateway({ config: { ...config, port }, secrets, smsc, tell });
    const url = gatewayProcess.gateway.address;
    const { apiKey } = secrets;
    tell(`  gateway listens on ${url}`);
    return {
      url,
      apiKey,
      showMessages: () => {
        tell("\nThree messages, sent through its own HTTP API:\n");
        return followDemoMessages({ url, apiKey, senderNumber: demoLine }, tell);
      },
      tellWhatNow: () => tellWhatNow({ url, secrets, config }, tell),
      stop: () => gatewayProcess.stop().finally(() => smsc.stop()),
    };
  } catch (error) {
    await smsc.stop();
    throw error;
  }
}

async function startGateway({
  config,
  secrets,
  smsc,
  tell,
}: {
  config: Config;
  secrets: DemoSecrets;
  smsc: SimulatedSmsc;
  tell: (line: string) => void;
}): Promise<GatewayProcess> {
  return startGatewayProcess({
    config,
    progress: (line) => tell(`  ${line}`),
    logFile: path.join(config.dataDir, logFileName),
    prepare: async (db) => {
      const text = demoSetup(secrets, smsc.port);
      await applySetup(db, { text, folder: config.dataDir, prune: false, dryRun: false });
    },
  });
}

/** The configured port; where another program has it, any free one. */
async function freePort({ host, port }: Config, tell: (line: string) => void): Promise<number> {
  if ((await tryToListen(host, port)) === undefined) return port;
  tell(`  port ${port} is taken by another program; another one is used (HODHOD_PORT chooses)`);
  return 0;
}

function tellWhatNow(
  { url, secrets, config }: { url: string; secrets: DemoSecrets; config: Config },
  tell: (line: string) => void,
): void {
  const example = behaviours.find(({ name }) => name === "undelivered");
  tell(`
Try it:

  curl -s ${url}/messages/send -H 'X-Api-Key: ${secrets.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"senderNumber":"${demoLine}","recipientNumber":"09121234567","content":"سلام دنیا"}'

  documentation   ${url}/docs
  health          ${url}/health/ready
  metrics         ${url}/metrics
  user            demo / ${secrets.password} at demo.example
  data and log    ${config.dataDir}

The last four digits of the recipient choose what the simulated operator does${
    example ? ` (${example.suffix}: ${example.summary})` : ""
  };
\`bin/hodhod simulate --help\` lists them. Ctrl-C stops everything; the next start keeps the data.`);
}
