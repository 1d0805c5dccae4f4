import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keys, openFrontDoor, type FrontDoor } from "../support/front-door.ts";

let door: FrontDoor;

beforeAll(async () => {
  door = await openFrontDoor();
});

afterAll(() => door.close());

const names = [
  ...["senderNumber", "recipientNumber", "content", "senderNumbers", "recipientNumbers", "contents", "sendTimestamp"],
  ...["templateId", "parameters", "batchId", "sentMessageIdes", "userName", "password", "domain", "__proto__"],
];
const values = fc.oneof(
  fc.constantFrom(
    "10001234",
    "09121234567",
    " 989121234567",
    "TydSt1skQE",
    "سلام",
    "\u0000",
    "\ud800",
    "",
    null,
    0,
    -1,
    1e300,
  ),
  fc.constantFrom(
    [],
    {},
    [{ name: "code", value: "1" }],
    [[[]]],
    ["10001234", null, 5, {}],
    "01939000-0000-7000-8000-000000000000",
  ),
  fc.jsonValue(),
  fc.string({ unit: "binary" }),
);
const bodies = fc.dictionary(fc.constantFrom(...names, ...names.map((name) => name.toUpperCase())), values, {
  maxKeys: 6,
});
const paths = [
  "/messages/send",
  "/messages/send/template",
  "/messages/send/bulk",
  "/messages/preview",
  "/messages/status",
  "/auth/token",
];

it("no JSON body makes the server fail, and every answer is as the document promises", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), bodies, async (url, body) => {
      const { status } = await door.call({ method: "POST", url, key: keys.demo, payload: JSON.stringify(body) });
      expect([200, 400, 401, 429]).toContain(status);
    }),
    { numRuns: 500 },
  );
});

it("no query and no form makes the server fail", async () => {
  const octets = fc.string({
    unit: fc.constantFrom(...'%&=+[]0129afAF,;é"سx \u0000'.split(""), "%D8%B3", "content", "senderNumber"),
  });
  await fc.assert(
    fc.asyncProperty(octets, octets, async (query, form) => {
      const safe = encodeURI(query).replace(/%25/g, "%");
      const url = `/api/v1/messages/send/url?apiKey=${keys.demo}&senderNumber=10001234&${safe}`;
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const { status } = await door.call({
        method: "POST",
        url,
        headers,
        payload: `recipientNumber=09121234567&${form}`,
      });
      expect([200, 400, 401]).toContain(status);
    }),
    { numRuns: 500 },
  );
});
