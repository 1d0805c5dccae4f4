import { describe, expect, it } from "vitest";
import { completeConnectorSettings, receiptGroupKey } from "../../src/connectors/connector-settings.ts";
import { faultMessage } from "../../src/setup/fault.ts";
import { readConnector } from "../../src/setup/read-setup.ts";
import { decodePdu, encodePdu } from "../../src/smpp/pdu-codec.ts";

const required = { type: "smpp", host: "smsc.example", port: 2775, systemId: "id", password: "pw" } as const;

describe("connector settings", () => {
  it("have a default for every key that is not required", () => {
    expect(completeConnectorSettings({ ...required, window: 5 })).toMatchObject({ window: 5, longMessages: "udh" });
  });

  it("of an older version, or of a connector that is gone, lack keys, and are those of a link over SMPP", () => {
    const same = {
      host: "SMSC.example",
      port: required.port,
      systemId: required.systemId,
      receiptGroup: "",
    };
    expect(receiptGroupKey(same)).toBe(receiptGroupKey(completeConnectorSettings(required)));
    expect(receiptGroupKey({ ...same, port: 2776 })).not.toBe(receiptGroupKey(same));
  });

  it("read only what is given", () => {
    expect(readConnector({ port: 1, tls: true, sourceTon: "auto", sourceNpi: 1 })).toEqual({
      values: { port: 1, tls: { verify: true }, sourceTon: "auto", sourceNpi: 1 },
      faults: [],
    });
  });

  it("name a command_status as reports do, once, however it is written", () => {
    const given = [0x405, "1029", "0x405", "0X0405", "ESME_RSYSERR", "8", 0xffff_ffff];
    expect(readConnector({ throttledStatuses: given }).values).toEqual({
      throttledStatuses: ["0x00000405", "ESME_RSYSERR", "0xffffffff"],
    });
    const { faults } = readConnector({ throttledStatuses: ["ESME_RSYSERR", "0x"] });
    expect(faults.map((fault) => [fault.path, faultMessage(fault, "en")])).toEqual([
      [["throttledStatuses", 1], expect.stringMatching(/not 0x$/)],
    ]);
  });

  it("take texts as long as a bind has room for", () => {
    const longest = { systemId: "i".repeat(64), password: "p".repeat(64), systemType: "t".repeat(12) };
    expect(readConnector(longest)).toEqual({ values: longest, faults: [] });
    const { systemId: system_id, password, systemType: system_type } = longest;
    const bind = { command: "bind_transceiver", command_status: 0, sequence_number: 1, tlvs: [] } as const;
    const numbers = { interface_version: 0x34, addr_ton: 0, addr_npi: 0, address_range: "" };
    expect(decodePdu(encodePdu({ ...bind, ...numbers, system_id, password, system_type }))).toMatchObject({
      pdu: { system_id, password, system_type },
    });
  });

  it("take a password of digits as its text", () => {
    expect(readConnector({ password: 1234 }).values).toEqual({ password: "1234" });
  });

  it.each([
    ["type", "http"],
    ["host", "http://smsc"],
    ["port", 0],
    ["port", 65_536],
    ["systemId", ""],
    ["systemId", "نام"],
    ["password", "p".repeat(65)],
    ["systemType", "a\0b"],
    ["systemType", "t".repeat(13)],
    ["serviceType", "SIXTEL"],
    ["validityPeriod", "never"],
    ["bindType", "receiver"],
    ["binds", 0],
    ["window", 1.5],
    ["partsPerSecond", -1],
    ["tls", "yes"],
    ["tls", { ca: 5 }],
    ["tls", { verify: "no" }],
    ["tls", { certificate: "x" }],
    ["defaultAlphabet", "utf16"],
    ["interfaceVersion", "5.0"],
    ["localAddress", "example.com"],
    ["sourceTon", 7],
    ["sourceNpi", "car"],
    ["destTon", "auto"],
    ["destNpi", 19],
    ["throttledStatuses", "ESME_RTHROTTLED"],
    ["throttledStatuses", ["ESME_RTHROTLED"]],
    ["throttledStatuses", ["toString"]],
    ["temporaryStatuses", ["ESME_ROK"]],
    ["temporaryStatuses", [0x1_0000_0000]],
    ["permanentStatuses", [-1]],
    ["permanentStatuses", [null]],
    ["permanentStatuses", [{ toString: 1 }]],
    ["permanentStatuses", [["ESME_RSYSERR"]]],
    ["permanentStatuses", Array.from({ length: 101 }, (_, code) => code + 1)],
    ["longMessages", "split"],
    ["messageIdFormat", "octal"],
    ["uncertain", "retry"],
    ["responseTimeoutMs", 0],
    ["enquireLinkSeconds", 0],
    ["inactivitySeconds", -1],
    ["receiptDeadlineHours", 721],
    ["receiptGroup", "g".repeat(65)],
  ])("refuse %s: %j", (key, value) => {
    const { faults } = readConnector({ [key]: value });
    expect(faults.map(({ path }) => path[0])).toEqual([key]);
  });
});
