import { describe, expect, it } from "vitest";
import { createLogger, logTelemetry, redactUrl, serializeError } from "../../src/platform/logger.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";

function setup(logLevel: "info" | "debug" | "silent" = "debug") {
  const text: string[] = [];
  const logger = createLogger({ logLevel }, { write: (line: string) => void text.push(line) });
  const telemetry = new Telemetry();
  logTelemetry(logger, telemetry);
  return { logger, telemetry, text, lines: () => text.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe("createLogger", () => {
  it("never writes credentials or message text, wherever they stand", () => {
    const { logger, text } = setup();
    const secrets = {
      password: "s3cr3t",
      apiKey: "s3cr3t",
      authorization: "s3cr3t",
      content: "s3cr3t",
      "x-api-key": "s3cr3t",
    };
    logger.info({ ...secrets, headers: secrets, request: { headers: secrets } }, "asked");
    expect(text.join("")).not.toContain("s3cr3t");
  });

  it("case 56: takes the secrets out of a URL", () => {
    const { logger, text } = setup();
    logger.info(
      {
        url: "/api/v1/messages/send/url/credentials?username=u1&password=p1&domain=d&content=hi1&recipientNumber=0912",
      },
      "asked",
    );
    for (const value of ["u1", "p1", "hi1", "0912"]) expect(text.join("")).not.toContain(value);
    expect(redactUrl("/x?APIKEY=abc&count=3")).toBe("/x?APIKEY=***&count=3");
  });

  it("writes nothing when silent", () => {
    const { logger, text } = setup("silent");
    logger.fatal("gone");
    expect(text).toEqual([]);
  });
});

describe("serializeError", () => {
  it("keeps type, code, constraint and causes, and drops values and own fields", () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "سلام"'), {
      code: "22P02",
      constraint: "c",
      detail: "Failing row contains (سلام)",
      cause: new Error("cannot reach postgres://user:geheim@host/db"),
    });
    const written = JSON.stringify(serializeError(error));
    expect(written).toContain("22P02");
    expect(written).toContain('"constraint":"c"');
    expect(written).not.toContain("سلام");
    expect(written).not.toContain("geheim");
    expect(written).toContain("logger.test");
  });

  it("ends at a circle of causes", () => {
    const error = new Error("a");
    error.cause = error;
    expect(JSON.stringify(serializeError(error)).length).toBeLessThan(20_000);
  });
});

describe("logTelemetry", () => {
  it("writes events as lines, with level, message and fields", () => {
    const { telemetry, lines } = setup();
    telemetry.emit("bind.changed", { connector: "mci", bindNumber: 1, state: "refused", reason: "ESME_RBINDFAIL" });
    telemetry.emit("configuration.reloaded", {
      version: 5n,
      accounts: 2,
      connectors: [],
      portedNumbers: { given: 0, imported: 0 },
      blockListNumbers: 5,
    });
    telemetry.emit("service.failed", { service: "sweeper", error: new TypeError("broken") });
    expect(lines()).toMatchObject([
      { level: "warn", event: "bind.changed", connector: "mci", msg: "bind refused" },
      { level: "info", version: "5" },
      { level: "error", service: "sweeper", error: { type: "TypeError", message: "broken" } },
    ]);
  });
});
