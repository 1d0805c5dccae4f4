// The objects of the configuration, with the keys of the setup file.
import type { Answers } from "./endpoints.ts";

export type Operator = Answers["GET /operators"]["items"][number];
export type PortedNumber = Answers["GET /ported-numbers"]["items"][number];
export type Line = Answers["GET /lines"]["items"][number];
export type Tariff = Answers["GET /tariffs"]["items"][number];
export type Price = Tariff["prices"][number];
export type Connector = Answers["GET /connectors"]["items"][number];
/** One line of the table of routes. */
export type Route = Answers["GET /routes"]["routes"][number];

type SetupPath = "/operators" | "/ported-numbers" | "/connectors" | "/lines" | "/tariffs" | "/accounts";

/** Objects that are read, changed and removed alike. */
export type SetupObject = `GET ${SetupPath}/{name}` | "GET /settings";
export type SetupObjectPath = SetupPath | "/settings";
