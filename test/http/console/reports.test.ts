// Reports by the console: sums by what is asked for, of the own account alone, and as a file.
import { beforeAll, describe, expect, it } from "vitest";
import { ReportBuilder } from "../../../src/maintenance/build-reports.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { keys, useTestApi } from "../../support/test-api.ts";
import { send } from "./reads.ts";

const api = useTestApi();
let staff: string;
let owner: string;

beforeAll(async () => {
  staff = await signInStaff(api, "viewer");
  owner = await signInAs(api, demoOwner);
  for (const recipient of ["09121234567", "09121234568", "09351234567"]) await send(api, recipient);
  await send(api, "09121234567", { key: keys.foreign });
  const { db, telemetry, directory } = api;
  const service = new ReportBuilder({ db, telemetry, directory, timeZone: () => "Asia/Tehran", settleSeconds: 0 });
  for (let round = 0; round < 20; round += 1) await service.run(new AbortController().signal);
});

const read = (path: string, cookie = staff) => callConsole(api, "GET", path, { cookie });

describe("reports", () => {
  it("sum up by what is asked for, for staff over all accounts", async () => {
    const { status, body } = await read("/reports?by=account,operator,status");
    expect([status, body["items"]]).toMatchObject([
      200,
      [
        {
          account: "demo",
          operator: "Irancell",
          status: 0,
          messages: 1,
          parts: 1,
          charged: 2800,
          refunded: 0,
          rials: 2800,
        },
        { account: "demo", operator: "MCI", status: 0, messages: 2, parts: 2, rials: 5600 },
        { account: "foreign", operator: "MCI", status: 0, messages: 1 },
      ],
    ]);
    expect(body["total"]).toEqual({
      ...{ messages: 4, delivered: 0, undelivered: 0, unsent: 0 },
      ...{ parts: 4, charged: 11_200, refunded: 0, rials: 11_200, open: 4 },
    });
    expect(body["timeZone"]).toBe("Asia/Tehran");
    expect(Date.parse(String(body["asOf"]))).toBeGreaterThan(Date.now() - 300_000);
  });

  it("show customers their own account alone", async () => {
    const own = await read("/reports?by=account", owner);
    expect(own.body["items"]).toMatchObject([{ account: "demo", messages: 3 }]);
    expect((await read("/reports?account=foreign", owner)).status).toBe(404);
    expect((await read("/reports.csv?account=foreign", owner)).status).toBe(404);
  });

  it("leave out of the delivery rate what was canceled", async () => {
    await api.rows("update report_day set status = 4, withdrawn = 1 where operator = 'Irancell'");
    await api.rows("update report_day set status = 2 where operator = 'MCI'");
    const { body } = await read("/reports?by=operator");
    const canceled = { operator: "Irancell", unsent: 1 };
    expect(body["items"]).toMatchObject([canceled, { operator: "MCI", deliveryRate: 100 }]);
    expect((body["items"] as object[])[0]).not.toHaveProperty("deliveryRate");
    expect(body["total"]).toMatchObject({ delivered: 3, unsent: 1, deliveryRate: 100 });
    await api.rows("update report_day set status = 0, withdrawn = 0");
  });

  it("are of the days that are asked for", async () => {
    const { body } = await read("/reports?from=2026-01-01&to=2026-01-31&by=day,line");
    expect(body).toMatchObject({ from: "2026-01-01", to: "2026-01-31", by: ["day", "line"], items: [] });
  });

  it.each(["by=weekday", "by=day,", "from=2026-02-30", "to=yesterday", "from=2026-1-1"])(
    "are 1001 for %s",
    async (query) => {
      const { status, body } = await read(`/reports?${query}`);
      expect([status, body["errorCode"]]).toEqual([400, 1001]);
    },
  );

  it("come as a file in which no name is a formula", async () => {
    const account = api.accountId("demo");
    await api.rows("update report_day set operator = '=1+1' where account_id = $1 and operator = 'Irancell'", [
      account,
    ]);
    const { status, text, headers } = await read("/reports.csv?raw=true&account=demo&by=operator");
    await api.rows("update report_day set operator = 'Irancell' where account_id = $1 and operator = '=1+1'", [
      account,
    ]);
    expect([status, headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(text.split("\r\n")).toEqual([
      "\uFEFFoperator,messages,delivered,undelivered,unsent,deliveryRate,parts,charged,refunded,rials,open",
      "'=1+1,1,0,0,0,,1,2800,0,2800,1",
      "MCI,2,0,0,0,,2,5600,0,5600,2",
      "",
    ]);
  });
});
