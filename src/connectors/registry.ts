// Creates a connector for each kind of operator link.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { ConnectorEvents, ConnectorLink, LinkErrorKind } from "./connector.ts";
import type { ConnectorSettings, ConnectorType } from "./connector-settings.ts";
import { kindOfBindError } from "./smpp/bind-errors.ts";
import { SmppConnector } from "./smpp/smpp-connector.ts";
import { testBind, type BindTestStep } from "./smpp/test-bind.ts";

const factories: Record<ConnectorType, (settings: ConnectorSettings, events: ConnectorEvents) => ConnectorLink> = {
  smpp: (settings, events) => new SmppConnector(settings, events),
};

export function createConnector(settings: ConnectorSettings, events: ConnectorEvents): ConnectorLink {
  return factories[settings.type](settings, events);
}

const tests: Record<
  ConnectorType,
  (settings: ConnectorSettings, signal: AbortSignal) => Promise<readonly BindTestStep[]>
> = { smpp: testBind };

/** Tries the settings once on a separate link. The signal ends the attempt. */
export function testConnector(settings: ConnectorSettings, signal: AbortSignal): Promise<readonly BindTestStep[]> {
  return tests[settings.type](settings, signal);
}

/** Whether this machine has the address that connections of the link come from. */
export async function hasLocalAddress({ localAddress }: ConnectorSettings): Promise<boolean> {
  if (localAddress === "") return true;
  const socket = createSocket(isIPv6(localAddress) ? "udp6" : "udp4");
  try {
    socket.bind({ address: localAddress, port: 0, exclusive: true });
    await once(socket, "listening");
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EADDRNOTAVAIL";
  } finally {
    socket.close();
  }
}

const errorKinds: Record<ConnectorType, (text: string) => LinkErrorKind> = { smpp: kindOfBindError };

/** The kind of error that a bind's stored last error describes. */
export function kindOfLinkError(type: ConnectorType, text: string): LinkErrorKind {
  return errorKinds[type](text);
}
