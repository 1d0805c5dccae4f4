// How the settings of a connector become a connection and a bind. Pure.
import { interfaceVersion34 } from "../../smpp/constants.ts";
import type { ConnectOptions } from "../../smpp/client.ts";
import type { SmppSettings } from "./smpp-settings.ts";

export function connectOptions(settings: SmppSettings, bindType: ConnectOptions["bindType"]): ConnectOptions {
  const { host, port, systemId, password, systemType, window, tls, tlsKey } = settings;
  const { addressRange, addressTon, addressNpi, interfaceVersion, localAddress } = settings;
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
    tls: tls !== false && tlsKey !== null ? { ...tls, key: tlsKey } : tls,
    addressRange,
    addressTon,
    addressNpi,
    interfaceVersion: interfaceVersion === "3.3" ? 0x33 : interfaceVersion34,
    ...(localAddress !== "" && { localAddress }),
  };
}
