// Templates of messages, as accounts ask for them and staff decide on them.

export const templatePurposes = ["code", "information"] as const;
export type TemplatePurpose = (typeof templatePurposes)[number];

export interface Template {
  readonly id: string;
  readonly account: string;
  readonly content: string;
  /** A line number, `service` or `advertising`; absent: each call names one. */
  readonly sender?: string;
  readonly validSeconds?: number;
  readonly purpose: TemplatePurpose;
  readonly approved: boolean;
  /** Why it was refused. */
  readonly refused?: string;
}

export interface ListedTemplate extends Template {
  readonly state: "pending" | "approved" | "refused";
  readonly askedAt: string;
}

export function templatePath(id: string): string {
  return `/templates/${encodeURIComponent(id)}`;
}
