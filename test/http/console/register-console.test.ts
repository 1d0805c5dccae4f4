import { describe, expect, it } from "vitest";
import { consoleDocument } from "../../support/api-document.ts";
import { demoOwner, signInAs, consoleCalls } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
const { post } = consoleCalls(api);

describe("a change whose commit is cut off", () => {
  it("is never told as not done: it is 500, says that nobody knows, and has an error id", async () => {
    const cookie = await signInAs(api, demoOwner);
    await api.rows(`create function cut_off() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return null; end $$`);
    await api.rows(`create constraint trigger cut_off after insert on campaign deferrable initially deferred
        for each row execute function cut_off()`);
    const payload = { name: "Autumn", senderNumber: "10001234", content: "Hello" };
    const create = (language: string) => post("/campaigns", cookie, payload, { "accept-language": language });
    const [en, fa] = [await create("en"), await create("fa")];
    await api.rows("drop trigger cut_off on campaign");
    expect([en.status, fa.status]).toEqual([500, 500]);
    expect(en.body["errorCode"]).toBeGreaterThanOrEqual(1_000_000_000);
    expect(en.body["errorMessage"]).toContain("it is not known whether this was done");
    expect(en.body["errorMessage"]).toContain(String(en.body["errorCode"]));
    expect(fa.body["errorMessage"]).toContain("معلوم نیست");
    expect((await create("en")).status).toBe(200);
  });
});

describe("the document of the console's API", () => {
  it("is what the service answers", async () => {
    const answer = await api.app.inject("/console/api/openapi.json");
    expect(answer.json()).toEqual(consoleDocument);
  });

  it("names what each operation needs", () => {
    const operations = Object.values(consoleDocument.paths).flatMap((methods) => Object.values(methods)) as unknown as {
      readonly summary: string;
      readonly security: readonly object[];
      readonly responses: Readonly<Record<string, unknown>>;
    }[];
    for (const operation of operations) {
      expect(operation.summary).toMatch(/^[A-Z]/);
      expect(operation.security, operation.summary).toBeDefined();
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["200", "401", "403", "500", "503"]));
    }
  });

  it("is not among the documents of the clients' API", async () => {
    const answer = await api.app.inject("/docs/json");
    expect(Object.keys(answer.json<{ paths: object }>().paths).filter((path) => path.startsWith("/console"))).toEqual(
      [],
    );
  });
});
