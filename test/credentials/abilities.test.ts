import { describe, expect, it } from "vitest";
import { abilitiesOf, operations, staffRoles, userRoles } from "../../src/credentials/abilities.ts";

describe("the table of roles", () => {
  it("gives these abilities", () => {
    expect([...staffRoles, ...userRoles].map((role) => `${role}: ${abilitiesOf(role).join(" ")}`)).toEqual([
      "administrator: see network accounts credit texts cancel audit staff setup",
      "operator: see network texts cancel audit",
      "sales: see accounts credit",
      "viewer: see",
      "owner: look send manage",
      "sender: look send",
      "reader: look",
    ]);
  });
});

it("the table of operations", () => {
  const rows = Object.entries(operations).map(
    ([name, { staff = "-", user = "-", permission = "-" }]) => `${name}: ${staff} ${user} ${permission}`,
  );
  expect(rows).toEqual([
    "sendText: - send send",
    "sendTemplate: - send send-template",
    "sendBulk: - send send-bulk",
    "sendByUrl: - send send-url",
    "sendByCredentials: - send send-url-credentials",
    "preview: - send preview",
    "cancel: cancel send cancel",
    "readMessages: see look status",
    "readText: texts look status",
    "readReceived: see look received",
    "readCredit: see look balance",
    "readOptOuts: see look opt-outs",
    "changeOptOuts: network manage opt-outs",
    "readWebhooks: see look webhooks",
    "readEvents: see manage webhooks",
    "changeWebhooks: accounts manage webhooks",
    "readTemplates: see look send-template",
    "changeTemplates: accounts send send-template",
    "readAccount: see look -",
    "manageAccess: accounts manage -",
    "readService: see - -",
    "changeNetwork: network - -",
    "changeAccounts: accounts - -",
    "bookCredit: credit - -",
    "reviewTexts: texts - -",
    "readAudit: audit - -",
    "manageStaff: staff - -",
    "changeSetup: setup - -",
  ]);
});
