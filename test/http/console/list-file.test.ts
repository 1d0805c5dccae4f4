import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { callConsole, demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { applyDocument } from "../../support/apply-document.ts";
import { useTestApi } from "../../support/test-api.ts";
import { readXlsx } from "hucre/xlsx";
import { timeWriter } from "../../../src/http/console/list-file.ts";
import { uuidv7Time } from "../../../src/platform/uuid.ts";
import { readNumberCell } from "../../../src/sms/msisdn.ts";
import { readTable } from "../../../src/tables/read-table.ts";
import { findColumns } from "../../../src/tables/table.ts";
import { send } from "./reads.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let viewer: string;
let customer: string;
let port: number;
/** Of some 3 KB each: more than what sockets and streams hold by themselves. */
const many = 5_000;

beforeAll(async () => {
  viewer = await signInStaff(api, "viewer");
  customer = await signInAs(api, demoOwner);
  await send(api, "09121234567", { content: '=HYPERLINK("http://evil"), secret' });
  port = await api.listen();
});

/** Copies of the one message, a millisecond apart, of some minutes ago. */
async function copyMany(): Promise<void> {
  await api.rows(
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, route_id, priority, valid_until)
       select account_id, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 600000 + n), 12, '0') || '7000800000000000' || lpad(to_hex(n), 4, '0'))::uuid,
              batch_id, sender, recipient, repeat(content, 70), language, operator, encoding, parts, cost, route_id, priority, valid_until
         from message, generate_series(1, $1) n where cost > 0`,
    [many],
  );
}

function open(path: string, cookie: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: "127.0.0.1", port, path: `/console/api${path}`, headers: { cookie } }, resolve)
      .on("error", reject)
      .end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  return text;
}

describe("GET messages.csv", () => {
  // Files of so many rows are read here alone.
  afterAll(() => api.rows("delete from message where length(content) > 100"));

  it("gives customers their texts without formulas, staff none", async () => {
    const own = await get("/messages.csv?raw=true", customer);
    expect(own.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(own.headers["content-disposition"]).toBe('attachment; filename="messages.csv"');
    expect(own.text.startsWith("\uFEFFacceptedAt,sentMessageId,")).toBe(true);
    expect(own.text).toContain(`,"'=HYPERLINK(""http://evil""), secret",,\r\n`);
    expect(own.text.trim().split("\r\n")).toHaveLength(2);
    const ofStaff = await get("/messages.csv?raw=true&account=demo", viewer);
    expect(ofStaff.text).toContain("989121234567");
    expect(ofStaff.text).not.toContain("secret");
    expect(
      (await get("/messages.csv?raw=true&recipient=09351234567", customer)).text.trim().split("\r\n"),
    ).toHaveLength(1);
    expect((await get("/messages.csv?from=x", customer)).status).toBe(400);
  });

  it("is two at a time for an account, goes no faster than it is taken, and ends with its caller", async () => {
    await copyMany();
    const slow = await open("/messages.csv?raw=true", customer);
    slow.pause();
    (await open("/messages.csv?raw=true", await signInAs(api, demoOwner))).pause();
    await vi.waitFor(async () => expect((await get("/messages.csv?raw=true", customer)).status).toBe(429), 30_000);
    // Nothing of the database is held meanwhile: both connections serve others.
    const lists = await Promise.all([1, 2, 3].map(() => get("/messages?count=1", viewer)));
    expect(lists.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await get("/messages.csv?raw=true&recipient=09351234567", viewer)).status).toBe(200);
    slow.destroy();
    await vi.waitFor(
      async () => expect((await get("/messages.csv?raw=true&to=2020-01-01", customer)).status).toBe(200),
      30_000,
    );
    const whole = await bodyOf(await open("/messages.csv?raw=true", customer));
    expect(whole.trim().split("\r\n")).toHaveLength(many + 2);
  });

  it("ends when the session does", async () => {
    const another = await signInAs(api, demoOwner);
    const response = await open("/messages.csv?raw=true", another);
    response.pause();
    await callConsole(api, "DELETE", "/session", { cookie: another });
    await expect(bodyOf(response)).rejects.toThrow();
  });

  it("ends when the account loses the permission", async () => {
    const permit = async (permissions: readonly string[]): Promise<void> => {
      await applyDocument(api.db, { accounts: [{ name: "demo", permissions }] });
      await api.directory.refresh();
    };
    const response = await open("/messages.csv?raw=true", customer);
    response.pause();
    await permit(["balance"]);
    try {
      await expect(bodyOf(response)).rejects.toThrow();
    } finally {
      await permit(["*"]);
    }
  });
});

describe("GET received.csv", () => {
  it("gives what subscribers sent", async () => {
    await api.rows(
      `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
         values ($1, 1, '018f0e3c-7a1b-7000-8000-000000000000', '989121234567', '10001234', '+secret', now())`,
      [api.accountId("demo")],
    );
    const { text } = await get("/received.csv?raw=true", customer);
    expect(text).toMatch(
      /^\uFEFFreceivedAt,.*,content,contentErased\r\n.*,demo,989121234567,10001234,true,'\+secret,\r\n$/,
    );
    const ofStaff = await get("/received.csv?raw=true&line=10001234", viewer);
    expect(ofStaff.text).toContain("989121234567");
    expect(ofStaff.text).not.toContain("secret");
    expect((await get("/received.csv?text=x", viewer)).status).toBe(403);
  });
});

async function rowsOf(path: string, cookie = customer): Promise<(readonly string[])[]> {
  const response = await open(path, cookie);
  const rows: (readonly string[])[] = [];
  const name = path.replace(/\?.*/, "").slice(1);
  for await (const some of readTable({ name, chunks: response })) rows.push(...some.map(({ cells }) => cells));
  return rows;
}

describe("a file for people", () => {
  const persian = "language=fa&timeZone=Asia/Tehran";

  it.each(["csv", "xlsx"])("has headings, states, local times and numbers in their language: %s", async (format) => {
    const [first] = await api.rows<{ id: string }>(
      `update message set reason = 1306, failure = '{"kind": "blacklist"}' where id = (select id from message order by id limit 1) returning id`,
    );
    const at = timeWriter("fa", "Asia/Tehran")(new Date(uuidv7Time(first?.id ?? "")));
    const [titles, ...rows] = await rowsOf(`/messages.${format}?${persian}&to=2100-01-01&recipient=09121234567`);
    expect(titles?.slice(0, 4)).toEqual(["زمان ثبت", "حساب", "خط", "گیرنده"]);
    const row = rows.at(-1) ?? [];
    expect(row[0]).toBe(at);
    expect(at).toMatch(/^14\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d$/);
    expect(readNumberCell(row[3] ?? "")).toBe("989121234567");
    expect(row[3]).toBe("09121234567");
    expect(row).toContain("در صف");
    expect(row[titles?.indexOf("علت نرسیدن") ?? -1]).toBe("بلک‌لیست مخابرات");
    expect(findColumns([...rows].map((cells, index) => ({ number: index + 1, cells }))).number).toBe(3);
  });

  it("is Unicode text as CSV, which Excel divides at tabs whatever the list separator of the machine is", async () => {
    const response = await open(`/messages.csv?${persian}&recipient=09121234567`, customer);
    expect(response.headers["content-type"]).toBe("text/csv; charset=utf-16le");
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf16le");
    expect(text.startsWith("\uFEFFزمان ثبت\tحساب\tخط\tگیرنده\t")).toBe(true);
    expect(text).toContain('\t"=""09121234567"""\t');
  });

  it("leaves a text that looks like a number as it is", async () => {
    await send(api, "09121110000", { content: "989121112233" });
    const [, row] = await rowsOf(`/messages.xlsx?${persian}&recipient=09121110000`);
    expect(row).toEqual(expect.arrayContaining(["09121110000", "989121112233"]));
  });

  it("is a workbook that another reader reads, whatever the texts are", async () => {
    const text = "=1+1 _x0041_ <a&b> \u0007 سلام";
    await api.rows("update message set content = $1 where id = (select id from message order by id limit 1)", [text]);
    const response = await open("/messages.xlsx?language=en&recipient=09121234567", customer);
    expect(response.headers["content-disposition"]).toBe('attachment; filename="messages.xlsx"');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const { sheets } = await readXlsx(new Uint8Array(Buffer.concat(chunks)));
    const cells = sheets[0]?.rows.at(-1) ?? [];
    expect(sheets[0]?.rows[0]?.slice(0, 2)).toEqual(["Accepted", "Account"]);
    expect(cells).toContain("Waiting");
    expect(cells.some((cell) => typeof cell === "string" && cell.startsWith("=1+1"))).toBe(true);
  });

  it("says what is wrong with the form", async () => {
    expect((await get("/messages.xlsx?timeZone=Mars/Olympus", customer)).status).toBe(400);
    expect((await get("/messages.csv?language=de", customer)).status).toBe(400);
  });

  it("is made of received messages, reports, statements and campaigns, too", async () => {
    for (const format of ["csv", "xlsx"]) {
      expect((await rowsOf(`/received.${format}?${persian}`))[0]?.[0]).toBe("زمان دریافت");
      expect((await rowsOf(`/reports.${format}?${persian}`))[0]).toEqual(
        expect.arrayContaining(["روز", "پیامک", "درصد تحویل", "خالص، ریال"]) as unknown,
      );
      const opening = (await rowsOf(`/accounts/demo/statement.${format}?${persian}`)).at(-1);
      expect(opening?.[1]).toBe("اعتبار آغازین");
    }
  });
});
