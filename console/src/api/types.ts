// What the console's API answers and takes, as the types of the gateway's own code say it, and names of parts that several pages read.
import type { Answers, Bodies, ErrorBody } from "../../../src/http/console/endpoints.ts";

export type { Answers, Bodies, ErrorBody };

export type Session = Answers["GET /session"];
export type Person = Session["user"];

export type Account = Answers["GET /accounts"]["items"][number];

export type StatementEntry = Answers["GET /accounts/{name}/statement"]["items"][number];

export type LiveFigures = Answers["GET /live"];
export type LiveConnector = LiveFigures["connectors"][number];
export type LiveBind = LiveConnector["binds"][number];
export type LiveNode = LiveFigures["nodes"][number];
/** What needs a person. */
export type Attention = LiveFigures["attention"][number];

export type FigureSeries = Answers["GET /figures"];
export type FigureRange = FigureSeries["range"];
export type FigurePoint = FigureSeries["points"][number];

export const figureRanges = ["1h", "24h", "7d", "30d"] as const satisfies readonly FigureRange[];

export type Report = Answers["GET /reports"];
export type QualityRow = Answers["GET /quality"]["items"][number];
export type DeliveryQuality = QualityRow["now"];
export type ReportRow = Report["items"][number];

export type SearchHit = Answers["GET /search"]["items"][number];

export type Operator = Answers["GET /operators"]["items"][number];
export type PortedNumber = Answers["GET /ported-numbers"]["items"][number];
export type Line = Answers["GET /lines"]["items"][number];
export type Tariff = Answers["GET /tariffs"]["items"][number];
export type Price = Tariff["prices"][number];
export type Connector = Answers["GET /connectors"]["items"][number];
/** One line of the table of routes. */
export type Route = Answers["GET /routes"]["routes"][number];

export type Template = Answers["GET /templates/{id}"];
export type ListedTemplate = Answers["GET /templates"]["items"][number];

export type Somebody = Answers["GET /people"]["items"][number];

/** Listed without the key itself, which is told only where it was just made. */
export type ApiKey = Answers["GET /accounts/{name}/api-keys"]["items"][number];
export type MadeKey = Answers["PUT /accounts/{name}/api-keys/{key}" | "POST /accounts/{name}/api-keys/{key}/rotate"];

export type SendOptions = Answers["GET /send"];
export type PreviewAnswer = Answers["POST /preview"];
export type SendAnswer = Answers["POST /send"];

export type Campaign = Answers["GET /campaigns/{id}"];
export type CampaignOutcomes = Answers["GET /campaigns/{id}/outcomes"];
export type CampaignRow = Answers["GET /campaigns/{id}/rows"]["items"][number];
