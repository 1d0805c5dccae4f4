// The three that are compared: Hodhod, the bare pipeline, and Kannel where it is installed. Each is
// started anew on an empty store.
import { startKannel } from "./kannel.ts";
import { holdsWithin } from "./look.ts";
import type { SystemUnderLoad } from "./measure.ts";
import { withScript } from "./processes.ts";
import type { RequestKind } from "./requests.ts";
import { apiKey, oneLink, type Postgres, withGateway, withPostgres, withSmsc } from "./systems.ts";

export interface RunningCandidate {
  readonly system: SystemUnderLoad;
  readonly kind: RequestKind;
  readonly port: number;
  readonly key: string;
  /**
   * Resolves when the store shows all that was accepted as delivered; rejects when it does not come
   * to that.
   */
  readonly allDelivered?: (messages: number) => Promise<void>;
}

const deliveredText = "select count(*)::int as delivered from message where status = 2";
const bareDeliveredText = "select count(*)::int as delivered from bare_message where status = 3";
const timeoutMs = 120_000;

function untilDelivered(postgres: Postgres, text: string): (messages: number) => Promise<void> {
  return async (messages) => {
    let delivered: number | undefined;
    const areAll = async (): Promise<boolean> => {
      const [row] = await postgres.query<{ delivered: number }>(text);
      delivered = row?.delivered;
      return delivered === messages;
    };
    if (!(await holdsWithin(timeoutMs, areAll, 250)))
      throw new Error(`${messages} messages were accepted, and ${delivered} are delivered`);
  };
}

/**
 * Starts a candidate, lends it, ends it. `onMemory` hears the most that the gateway had, in MiB,
 * where it is ours.
 */
export type Candidate = <T>(
  work: (running: RunningCandidate) => Promise<T>,
  onMemory: (mebibytes: number) => void,
) => Promise<T>;

export const hodhod: Candidate = (work, onMemory) =>
  withSmsc({}, (smsc) =>
    withPostgres((postgres) =>
      withGateway({ url: postgres.url, setup: oneLink(smsc.port), onMemory }, ({ pid, port }) =>
        work({
          system: { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 },
          kind: "single",
          port,
          key: apiKey,
          allDelivered: untilDelivered(postgres, deliveredText),
        }),
      ),
    ),
  );

export const bare: Candidate = (work) =>
  withSmsc({}, (smsc) =>
    withPostgres((postgres) => {
      const env = { DATABASE_URL: postgres.url, SMSC_PORT: String(smsc.port) };
      return withScript("bare-pipeline.ts", [], env, ({ pid }, port) => {
        const system = { gatewayPids: [pid], smsc, postgres, messagesPerCall: 1 };
        return work({ system, kind: "bare", port, key: "", allDelivered: untilDelivered(postgres, bareDeliveredText) });
      });
    }),
  );

export const kannel: Candidate = (work) =>
  withSmsc({}, async (smsc) => {
    const running = await startKannel(smsc.port);
    try {
      const system = { gatewayPids: running.pids, smsc, messagesPerCall: 1 };
      return await work({ system, kind: "kannel", port: running.port, key: running.password });
    } finally {
      await running.stop();
    }
  });
