import { beforeAll, describe, expect, it } from "vitest";
import { acquireBinds, insertNode, markBind } from "../../../src/store/nodes.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { callConsole, signInStaff } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";
import { send } from "./reads.ts";

const api = useTestApi();
let staff: string;

beforeAll(async () => {
  staff = await signInStaff(api, "viewer");
});

const get = async (path: string) => (await callConsole(api, "GET", path, { cookie: staff })).body;

describe("GET connectors", () => {
  it("shows a connector that no node holds, and what waits for it", async () => {
    await send(api, "09121234567");
    expect(await get("/connectors")).toMatchObject({
      items: [
        {
          name: "mci-1",
          enabled: true,
          host: "127.0.0.1",
          binds: 1,
          state: "no node",
          bindStates: [],
          due: 1,
        },
      ],
    });
  });

  it("shows the binds that nodes hold", async () => {
    const nodeId = uuidv7();
    const node = { nodeId, leaseMs: 60_000, configurationVersion: 3n, host: "sms-1", pid: 42, dispatches: true };
    await insertNode(api.db, node);
    const connectorId = api.directory.current.connectors[0]?.id ?? 0;
    const [bindNumber] = await acquireBinds(api.db, { connectorId, nodeId, binds: 1, wanted: 1 });
    await markBind(api.db, {
      connectorId,
      bindNumber: bindNumber ?? 1,
      nodeId,
      bound: true,
      error: "no activity (enquire_link)",
    });
    // What is known of the connectors may be as old as the look of the test before.
    await expect
      .poll(() => get("/connectors"), { timeout: 30_000 })
      .toMatchObject({
        items: [
          {
            name: "mci-1",
            state: "bound",
            bindStates: [
              { state: "bound", node: "sms-1", lastError: "no activity (enquire_link)", lastErrorKind: "silent" },
            ],
          },
        ],
      });
  });
});
