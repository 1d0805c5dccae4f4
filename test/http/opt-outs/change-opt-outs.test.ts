import { beforeEach, describe, expect, it } from "vitest";
import { findingCatalogue } from "../../../src/texts/errors.ts";
import { answerToCutCommit } from "../../support/database-wire.ts";
import { keys, useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();
beforeEach(async () => {
  await api.rows("truncate opt_out");
  await api.directory.refresh();
});

function call(method: "PUT" | "DELETE", path: string, key: string = keys.demo) {
  return api.call(method, `/opt-outs/${path}`, { key });
}

async function sendStatus(key: string, recipientNumber = "09121234567"): Promise<number> {
  const payload = { senderNumber: "10001234", recipientNumber, content: "hi" };
  return (await api.call("POST", "/messages/send", { key, payload })).status;
}

describe("the audit of opt-outs", () => {
  it("names the account that made and removed its entry, and nobody where nothing changed", async () => {
    await api.rows("truncate audit_entry");
    for (const method of ["PUT", "PUT", "DELETE", "DELETE"] as const)
      expect((await call(method, "10001234/09121234567")).status).toBe(200);
    const of = { who: "key:demo/main", kind: "optOut", name: "10001234 989121234567", account: "demo" };
    expect(
      await api.rows(
        "select who, action, kind, name, account, address from audit_entry where kind = 'optOut' order by id",
      ),
    ).toEqual([
      { ...of, action: "create", address: "127.0.0.1" },
      { ...of, action: "remove", address: "127.0.0.1" },
    ]);
  });
});

describe("PUT opt-outs", () => {
  it.each(["%2B9810001234/%2B989121234567", "10001234/۰۹۱۲۱۲۳۴۵۶۷", "10001234/9121234567/"])(
    "%s makes an entry that counts at once, for this account",
    async (path) => {
      const { status, text } = await call("PUT", path.startsWith("%") ? path : encodeURI(path));
      expect(status).toBe(200);
      expect(text).toMatch(
        /^\{"lineNumber":"10001234","recipientNumber":"989121234567","how":"api","createdTimestamp":[0-9]{10}\}$/,
      );
      expect(await sendStatus(keys.demo)).toBe(400);
      expect(await sendStatus(keys.foreign)).toBe(200);
    },
  );

  it("answers an older entry as it is", async () => {
    const first = await call("PUT", "10001234/09121234567");
    await api.rows("update opt_out set created_at = created_at - interval '1 hour'");
    const again = await call("PUT", "10001234/09121234567");
    expect(again.body).toMatchObject({ how: "api" });
    expect(again.text).not.toBe(first.text);
    await api.rows("truncate opt_out");
    await api.rows(
      "insert into opt_out (line, number, how, created_at) values ('10001234', '989121234567', 'staff', to_timestamp(1795203400))",
    );
    expect((await call("PUT", "10001234/09121234567")).text).toBe(
      '{"lineNumber":"10001234","recipientNumber":"989121234567","how":"staff","createdTimestamp":1795203400}',
    );
    expect(await api.rows("select from opt_out")).toHaveLength(1);
  });

  it.each([
    ["10001234/123", 1001],
    ["10001234/02188001122", 1001],
    ["10007777/09121234567", 1053],
    ["x/09121234567", 1053],
    ["30001111/09121234567", 1053],
  ])("%s is %i", async (path, errorCode) => {
    for (const method of ["PUT", "DELETE"] as const) {
      const fields = errorCode === 1001 ? ["number"] : [];
      expect(refusal(await call(method, path))).toEqual([400, errorCode, ...fields]);
    }
    expect(await api.rows("select from opt_out")).toEqual([]);
  });
});

describe("DELETE opt-outs", () => {
  it("takes back an own entry, at once, and says whether there was one", async () => {
    await call("PUT", "10001234/09121234567");
    const answer = (removed: boolean) =>
      `{"lineNumber":"10001234","recipientNumber":"989121234567","removed":${removed}}`;
    expect((await call("DELETE", "10001234/+989121234567")).text).toBe(answer(true));
    expect(await sendStatus(keys.demo)).toBe(200);
    expect((await call("DELETE", "10001234/+989121234567")).text).toBe(answer(false));
  });

  it("leaves what others made: 403 with 1005 for the person's own, false for another account's", async () => {
    await call("PUT", "10001234/09121234567", keys.foreign);
    expect((await call("DELETE", "10001234/09121234567")).body).toMatchObject({ removed: false });
    expect(await sendStatus(keys.foreign)).toBe(400);
    await api.rows("insert into opt_out (line, number, how) values ('10001234', '989121234567', 'message')");
    const { status, body } = await call("DELETE", "10001234/09121234567");
    expect([status, body.errorCode]).toEqual([403, 1005]);
    expect(body.errorMessage).toBe(findingCatalogue["optOut.foreign"].en);
    await api.directory.refresh();
    expect(await sendStatus(keys.demo)).toBe(400);
  });
});

it.each(["PUT", "DELETE"] as const)("%s whose commit was cut off is not answered as not stored", async (method) => {
  const url = "/opt-outs/10001234/09121234567";
  if (method === "DELETE") await call("PUT", "10001234/09121234567");
  const { status } = await answerToCutCommit(api, "audit_entry", (over) => over.call(method, url, { key: keys.demo }));
  expect(status).toBe(500);
});
