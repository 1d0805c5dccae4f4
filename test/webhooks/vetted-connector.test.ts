// How names are looked up. What the connector admits is tested in request-poster.test.ts.
import { expect, it } from "vitest";
import { resolveName } from "../../src/webhooks/vetted-connector.ts";

it("a name of the machine is found", async () => {
  expect(await resolveName("localhost")).toContain("127.0.0.1");
});
