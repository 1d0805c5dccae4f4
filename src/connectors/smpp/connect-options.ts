// How the settings of a connector become a connection and a bind. Pure.
import type { ConnectOptions } from "../../smpp/client.ts";
import type { SmppSettings } from "./smpp-settings.ts";

export function connectOptions(settings: SmppSettings, bindType: ConnectOptions["bindType"]): ConnectOptions {
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
