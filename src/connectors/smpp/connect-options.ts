// How the settings of a connector become a connection and a bind. Pure.
import type { ConnectOptions } from "../../smpp/client.ts";
import type { ConnectorSettings } from "../connector-settings.ts";

export function connectOptions(settings: ConnectorSettings, bindType: ConnectOptions["bindType"]): ConnectOptions {
  const { host, port, systemId, password, systemType, window, tls } = settings;
  const { responseTimeoutMs, enquireLinkSeconds, inactivitySeconds } = settings;
  return {
    host,
    port,
    systemId,
    password,
    systemType,
    bindType,
    window,
    responseTimeoutMs,
    enquireLinkSeconds,
    inactivitySeconds,
    tls,
  };
}
