// What kind of error the kept text of a bind's last error is: of real errors, and of each way in
// which a session ends.
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { closeText, isAboutCredentials, kindOfBindError } from "../../../src/connectors/smpp/bind-errors.ts";
import { commandStatus } from "../../../src/smpp/constants.ts";
import { connectAndBind, type ConnectOptions } from "../../../src/smpp/client.ts";
import { startSimulatedSmsc } from "../../../src/simulator/simulated-smsc.ts";

async function textOfFailure(options: Partial<ConnectOptions>): Promise<string> {
  const given = {
    host: "127.0.0.1",
    port: 1,
    systemId: "hodhod",
    password: "secret",
    bindType: "transceiver",
  } as const;
  const outcome = await connectAndBind({ ...given, ...options }).catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome.message;
  throw new Error("it was bound");
}

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), "utf8");

async function listen(hangUp: boolean): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    if (hangUp) socket.destroy();
    else socket.resume();
  });
  return portOf(server);
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // It listens at a port.
  return (server.address() as AddressInfo).port;
}

describe("kindOfBindError", () => {
  it("knows the refusals of an SMSC by their status", async () => {
    const smsc = await startSimulatedSmsc({ systemId: "hodhod", password: "secret" });
    onTestFinished(() => smsc.stop());
    const { port } = smsc;
    expect(kindOfBindError(await textOfFailure({ port, password: "wrong" }))).toBe("wrongPassword");
    expect(kindOfBindError(await textOfFailure({ port, systemId: "nobody" }))).toBe("wrongSystemId");
    expect(kindOfBindError("the bind was refused: ESME_RINVSYSTYP")).toBe("wrongSystemType");
    expect(kindOfBindError("the bind was refused: ESME_RBINDFAIL")).toBe("refused");
    expect(kindOfBindError("the bind was refused: 0x00000405")).toBe("refused");
  });

  it("knows what keeps a connection from standing", async () => {
    expect(kindOfBindError(await textOfFailure({}))).toBe("nothingListens");
    expect(kindOfBindError(await textOfFailure({ host: "smsc.invalid" }))).toBe("nameUnknown");
    expect(kindOfBindError(await textOfFailure({ port: await listen(true) }))).toBe("closed");
    expect(kindOfBindError(await textOfFailure({ port: await listen(false), responseTimeoutMs: 50 }))).toBe("timeout");
    const smsc = await startSimulatedSmsc({});
    onTestFinished(() => smsc.stop());
    const text = await textOfFailure({ port: smsc.port, tls: { verify: true } });
    expect(["notTls", "closed"]).toContain(kindOfBindError(text));
  });

  it("knows a port that speaks something else than SMPP from one that only closes", async () => {
    const port = await portOf(createServer((socket) => void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")));
    const text = await textOfFailure({ port });
    expect([text, kindOfBindError(text)]).toEqual([text, "garbled"]);
    expect(text).toContain("framing lost (command_length 1213486160)");
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)(
    "knows over %s that the other side wants a certificate of ours, and does not blame its own",
    async (version) => {
      const tls = { key: fixture("server-key.pem"), cert: fixture("server.pem"), ca: fixture("ca.pem") };
      const options = { ...tls, requestCert: true, maxVersion: version };
      const server = createTlsServer(options, (socket) => socket.on("error", () => undefined).resume());
      server.on("tlsClientError", () => undefined);
      const port = await portOf(server);
      const text = await textOfFailure({ host: "localhost", port, tls: { ca: fixture("ca.pem"), verify: true } });
      // Before TLS 1.3 there was no alert of its own for it.
      expect([text, kindOfBindError(text)]).toEqual([text, version === "TLSv1.3" ? "clientCertificate" : "notTls"]);
    },
  );

  it.each([
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "clientCertificate"],
    ["ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE", "clientCertificate"],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "clientCertificate"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "notTls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "certificate"],
    ["CERT_HAS_EXPIRED", "certificate"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate"],
  ] as const)("judges %s by its code, whatever words stand beside it", (code, kind) => {
    expect(kindOfBindError(`smsc.example:2776: some certificate of SSL (${code})`)).toBe(kind);
  });

  it("tells a host that was never reached from a session whose other side fell silent", () => {
    expect(kindOfBindError("10.0.0.1:2775: connect ETIMEDOUT 10.0.0.1:2775")).toBe("unreachable");
    expect(kindOfBindError("read ETIMEDOUT")).toBe("silent");
    expect(kindOfBindError("the link was closed before the bind was answered: read ETIMEDOUT")).toBe("silent");
    expect(kindOfBindError("read EHOSTUNREACH")).toBe("unreachable");
  });

  it("is not misled by the name of the host", () => {
    expect(kindOfBindError("SMSC_CERT_1:2775: connect ECONNREFUSED 10.0.0.1:2775")).toBe("nothingListens");
  });

  it.each([
    [{ kind: "closed_here" }, "closed"],
    [{ kind: "unbound_by_peer" }, "unbound"],
    [{ kind: "disconnected", message: "closed by the peer" }, "closed"],
    [{ kind: "disconnected", message: "read ECONNRESET" }, "closed"],
    [{ kind: "timer", timer: "enquire_link" }, "silent"],
    [{ kind: "framing_lost", commandLength: 9 }, "garbled"],
    [{ kind: "disconnected", message: "something new" }, "other"],
  ] as const)("tells a session that ended with %o as %s", (reason, kind) => {
    expect(kindOfBindError(closeText(reason))).toBe(kind);
  });
});

it.each([
  ["ESME_RINVPASWD", true],
  ["ESME_RINVSYSID", true],
  ["ESME_RINVSYSTYP", true],
  ["ESME_RBINDFAIL", false],
  ["ESME_RALYBND", false],
  ["ESME_RTHROTTLED", false],
] as const)("says whether a bind that is refused with %s waits for other settings: %s", (name, waits) => {
  expect(isAboutCredentials(commandStatus[name])).toBe(waits);
});
