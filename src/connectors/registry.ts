// Creates a connector for each kind of operator link.
import type { Connector, ConnectorEvents } from "./connector.ts";
import type { ConnectorSettings } from "./connector-settings.ts";
import { SmppConnector } from "./smpp/smpp-connector.ts";

const factories: Record<
  ConnectorSettings["type"],
  (settings: ConnectorSettings, events: ConnectorEvents) => Connector
> = {
  smpp: (settings, events) => new SmppConnector(settings, events),
};

export function createConnector(settings: ConnectorSettings, events: ConnectorEvents): Connector {
  return factories[settings.type](settings, events);
}
