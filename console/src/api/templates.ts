// Templates of messages, as accounts ask for them and staff decide on them.
import type { Answers } from "./endpoints.ts";

export type Template = Answers["GET /templates/{id}"];
export type ListedTemplate = Answers["GET /templates"]["items"][number];
export type TemplatePurpose = Template["purpose"];

export const templatePurposes = ["code", "information"] as const satisfies readonly TemplatePurpose[];

export function templatePath(id: string): `/templates/${string}` {
  return `/templates/${encodeURIComponent(id)}`;
}
