// A setup file after reading: the objects it names with the keys it gives. An absent key leaves the
// stored value unchanged; null removes the value.
import type { ConnectorSettings } from "../connectors/connector-settings.ts";
import type { StaffRole, UserRole } from "../credentials/abilities.ts";
import type { OptOutMode, LineKind } from "../sms/sender-line.ts";
import type { RuleLists, RuleSection } from "../sms/rule-lists.ts";
import type { TariffPrice } from "../sms/tariff.ts";
import type { TemplatePurpose } from "../sms/template.ts";
import type { SetupPath } from "./fault.ts";

interface InFile {
  /** The object's place in the file. */
  readonly path: SetupPath;
}

export interface OperatorSetup extends InFile {
  readonly name: string;
  readonly prefixes: readonly string[] | undefined;
  readonly enabled: boolean | undefined;
}

export interface PortedNumberSetup extends InFile {
  /** 989… */
  readonly number: string;
  readonly operator: string;
}

export interface ConnectorSetup extends InFile {
  readonly name: string;
  readonly enabled: boolean | undefined;
  readonly paused: boolean | undefined;
  /** `tls.ca` is still a file name. */
  readonly settings: Partial<ConnectorSettings>;
}

export interface RouteSetup extends InFile {
  readonly operator: string;
  readonly line: string;
  readonly connectors: readonly string[];
}

export interface LineSetup extends InFile {
  readonly number: string;
  readonly kind: LineKind | undefined;
  readonly inbound: string | null | undefined;
  /** null: all connectors may bring messages for it. */
  readonly connectors: readonly string[] | null | undefined;
  /** null: that of its kind. */
  readonly optOut: OptOutMode | null | undefined;
}

export interface TariffSetup extends InFile {
  readonly name: string;
  readonly prices: readonly TariffPrice[] | undefined;
}

export interface UserSetup {
  readonly username: string;
  /** Absent: the stored one stays. */
  readonly password: string | undefined;
  /** Absent: the stored one stays; a new user is an owner. */
  readonly role: UserRole | undefined;
}

export interface StaffSetup extends InFile {
  readonly username: string;
  /** Absent: the stored one stays. */
  readonly password: string | undefined;
  readonly role: StaffRole | undefined;
  readonly enabled: boolean | undefined;
}

export interface ApiKeySetup {
  readonly name: string;
  /** Absent: the stored one stays. */
  readonly sha256Hex: string | undefined;
  readonly allowedIps: readonly string[];
  /** From then on calls with it are refused; null: never. */
  readonly expiresAt: Date | null;
}

/** Absent: the stored ones stay, or the usual ones of a new endpoint; it gets a secret. */
export interface EndpointSetup {
  readonly name: string;
  readonly url: string | undefined;
  readonly events: readonly string[] | undefined;
  readonly batchSize: number | undefined;
  readonly enabled: boolean | undefined;
  readonly secret: string | undefined;
}

export interface AccountSetup extends InFile {
  readonly name: string;
  readonly domain: string | undefined;
  readonly credit: bigint | "unlimited" | undefined;
  readonly tariff: string | undefined;
  readonly lines: readonly string[] | undefined;
  readonly permissions: readonly string[] | undefined;
  readonly requestsPerSecond: number | undefined;
  readonly lowCredit: bigint | undefined;
  readonly duplicateSeconds: number | undefined;
  readonly dailyMessages: number | undefined;
  readonly monthlyCost: bigint | undefined;
  readonly users: readonly UserSetup[] | undefined;
  readonly apiKeys: readonly ApiKeySetup[] | undefined;
  readonly allowedIps: readonly string[] | undefined;
  /** 989… */
  readonly blockedRecipients: readonly string[] | undefined;
  /** The whole list. */
  readonly webhooks: readonly EndpointSetup[] | undefined;
}

export interface TemplateSetup extends InFile {
  readonly id: string;
  readonly account: string | undefined;
  readonly content: string | undefined;
  readonly sender: string | null | undefined;
  readonly approved: boolean | undefined;
  readonly refused: string | null | undefined;
  readonly validSeconds: number | null | undefined;
  readonly purpose: TemplatePurpose | undefined;
}

export interface SystemLinesSetup {
  readonly service: string | null | undefined;
  readonly advertising: string | null | undefined;
}

/** null: the usual words. */
export interface OptOutWordsSetup {
  readonly stop: readonly string[] | null | undefined;
  readonly resume: readonly string[] | null | undefined;
}

export interface RuleInFile<Rule> extends InFile {
  readonly rule: Rule;
}

/** Order counts, so a list replaces the stored one. Absent: the stored one stays. */
export type RulesSetup = {
  readonly [Section in RuleSection]: readonly RuleInFile<RuleLists[Section][number]>[] | undefined;
};

export type Calendar = "jalali" | "gregorian";

export interface Setup {
  readonly operators: readonly OperatorSetup[];
  readonly portedNumbers: readonly PortedNumberSetup[];
  readonly connectors: readonly ConnectorSetup[];
  /** Routes have no names, so a list replaces all of them. Absent: the stored ones stay. */
  readonly routes: readonly RouteSetup[] | undefined;
  readonly lines: readonly LineSetup[];
  readonly tariffs: readonly TariffSetup[];
  readonly accounts: readonly AccountSetup[];
  readonly templates: readonly TemplateSetup[];
  readonly systemLines: SystemLinesSetup;
  readonly retentionDays: number | undefined;
  readonly timeZone: string | undefined;
  readonly calendar: Calendar | undefined;
  readonly eventDays: number | undefined;
  readonly contentDays: number | undefined;
  readonly codeContentHours: number | undefined;
  readonly optOutWords: OptOutWordsSetup;
  readonly optOutNotice: string | undefined;
  readonly rules: RulesSetup;
  readonly staffSecondFactor: SecondFactorRule | undefined;
  /** Absent: the file says nothing about staff, and --prune leaves them alone. */
  readonly staff: readonly StaffSetup[] | undefined;
}

export type SecondFactorRule = "optional" | "required";
