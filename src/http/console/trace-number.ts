// What is said of a number's ways: each line judged as a call from it would be
// (sms/prepare-message.ts), with what routes and connectors say to it. Pure.
import type { Account, Directory } from "../../directory/directory.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import type { Language } from "../../sms/text-kind.ts";
import { type Fault, fault } from "../../sms/fault.ts";
import { type Msisdn, cleanNumber } from "../../sms/msisdn.ts";
import { operatorOf, prefixOf } from "../../sms/numbering-plan.ts";
import { allAccounts, withNotice } from "../../sms/opt-out-index.ts";
import { type AccountTerms, type PreparedMessage, prepareMessage } from "../../sms/prepare-message.ts";
import {
  type LinkNow,
  type TracedConnector,
  type TracedRoute,
  traceConnectors,
  traceRoutes,
} from "../../sms/routing.ts";
import { type SenderLine, findLine } from "../../sms/sender-line.ts";
import { pricePerPart } from "../../sms/tariff.ts";
import { faultText } from "./message-fields.ts";
import { ApiError } from "../../texts/errors.ts";
import { findAccountSummary, listBinds } from "../../store/staff-lookups.ts";
import type { ConsoleCall } from "./console-call.ts";

export interface TraceQuestion {
  readonly recipient: Msisdn;
  readonly account?: Account | undefined;
  /** Cleaned. */
  readonly senderNumber?: string | undefined;
  readonly content?: string | undefined;
}

export interface KnownState {
  /** Connectors with a bind that is up. */
  readonly bound: ReadonlySet<number>;
  /** Rials; undefined: without a limit. */
  readonly credit?: bigint | undefined;
}

/** The most lines of one response. */
const maximumLines = 100;
/** Judged where no text is given: short, and carried by every link. */
const placeholderText = "-";

export function traceNumber(directory: Directory, asked: TraceQuestion, known: KnownState, language: AnswerLanguage) {
  const { recipient, account, senderNumber } = asked;
  const terms = account?.terms ?? termsOfService(directory);
  const operator = operatorOf(recipient, terms.plan);
  const isPorted = terms.plan.ported.get(recipient) !== undefined;
  const prefix = isPorted ? undefined : prefixOf(recipient, terms.plan);
  const senders = senderNumber === undefined ? [...terms.lines.keys()].toSorted() : [senderNumber];
  const shown = senders.slice(0, maximumLines);
  return {
    recipientNumber: recipient,
    operator,
    operatorBy: isPorted ? ("ported" as const) : prefix === undefined ? ("unknown" as const) : ("prefix" as const),
    /** The one that decided. */
    prefix,
    operatorEnabled: !terms.disabledOperators.has(operator),
    account: account?.name,
    ways: shown.map((sender) => {
      const way = traceWay(directory, { ...asked, senderNumber: sender }, known);
      return describeWay(directory, { ...asked, terms }, way, language);
    }),
    /** How many more lines there are than the answer tells of. */
    furtherLines: senders.length - shown.length,
  };
}

/**
 * For the question without an account: all lines of the service. No price is shown, so any tariff will do.
 */
function termsOfService({
  lines,
  plan,
  routes,
  disabledOperators,
  maximumParts,
  blockLists,
  optOuts,
  optOutNotice,
}: Directory): AccountTerms {
  return {
    accountId: allAccounts,
    listed: blockLists,
    optOuts,
    optOutNotice,
    lines,
    plan,
    routes,
    disabledOperators,
    maximumParts,
    tariff: { name: "", prices: [{ operator: "*", line: "*", language: "*", price: 0n }] },
    systemLines: {},
    blockedRecipients: new Set(),
    template: () => undefined,
  };
}

export interface TracedWay {
  /** Undefined: the sender is no line that may be used. */
  readonly line: SenderLine | undefined;
  readonly refused: Fault | undefined;
  readonly prepared: PreparedMessage | undefined;
  readonly routes: readonly TracedRoute[];
  readonly connectors: readonly TracedConnector[];
}

/** One message judged, with the reasons of its way. */
export function traceWay(
  directory: Directory,
  asked: TraceQuestion & { readonly senderNumber: string },
  { bound, credit }: KnownState,
): TracedWay {
  const { recipient, account, senderNumber, content } = asked;
  const terms = account?.terms ?? termsOfService(directory);
  const draft = {
    senderNumber,
    recipientNumber: recipient,
    content: content ?? withNotice(placeholderText, terms.optOutNotice),
    source: "json",
  } as const;
  const judged = prepareMessage(draft, terms);
  const line = findLine(senderNumber, terms.lines);
  if (line === undefined || judged.kind === "rejected") {
    const refused = judged.kind === "rejected" ? judged.faults[0] : undefined;
    const routes = line === undefined ? [] : traceRoutes(terms.routes, operatorOf(recipient, terms.plan), line);
    return {
      line,
      refused,
      prepared: undefined,
      routes,
      connectors: connectorsOf(directory, routes, undefined, bound),
    };
  }
  const routes = traceRoutes(terms.routes, judged.operator, line);
  const connectors = connectorsOf(directory, routes, content === undefined ? undefined : judged, bound);
  const isTooDear = content !== undefined && credit !== undefined && judged.cost > credit;
  return { line, refused: isTooDear ? fault("credit.insufficient") : undefined, prepared: judged, routes, connectors };
}

function connectorsOf(
  directory: Directory,
  routes: readonly TracedRoute[],
  text: PreparedMessage | undefined,
  bound: ReadonlySet<number>,
): readonly TracedConnector[] {
  const first = routes.find(({ verdict }) => verdict === "used" || verdict === "off")?.route;
  if (first === undefined) return [];
  return traceConnectors(first, text, (id): LinkNow | undefined => {
    const connector = directory.connectors.find((each) => each.id === id);
    return connector && { bound: bound.has(id), paused: connector.paused, carrier: connector.settings };
  });
}

function describeWay(
  directory: Directory,
  { account, content, terms }: TraceQuestion & { readonly terms: AccountTerms },
  { line, refused, prepared, routes, connectors }: TracedWay,
  language: AnswerLanguage,
) {
  const nameOf = (id: number): string => directory.connectors.find((each) => each.id === id)?.name ?? String(id);
  const used = connectors.find(({ verdict }) => verdict === "used");
  return {
    line: line?.number,
    kind: line?.kind,
    refused: refused && { errorCode: refused.code, errorMessage: faultText(refused, language) },
    routes: routes.map(({ route: { operator, line: lines }, verdict }, index) => ({
      position: index + 1,
      operator,
      line: lines,
      verdict,
    })),
    connectors: connectors.map(({ id, verdict }) => ({ name: nameOf(id), verdict })),
    connector: used && prepared && nameOf(used.id),
    ...(content !== undefined && prepared && describeText(prepared, account !== undefined)),
    ...(content === undefined && account && line && prepared && { prices: pricesOf(terms, prepared, line) }),
  };
}

function describeText(prepared: PreparedMessage, hasPrice: boolean) {
  const { language, encoding, parts, cost } = prepared;
  return { language, encoding, parts, ...(hasPrice && { price: cost / BigInt(parts), cost }) };
}

/** Of one part by language. */
function pricesOf({ tariff }: AccountTerms, { operator }: PreparedMessage, line: SenderLine) {
  const priceIn = (language: Language) => pricePerPart(tariff, { operator, line, language });
  return { fa: priceIn("fa"), en: priceIn("en"), other: priceIn("other") };
}

// What a trace of a number is asked for, and what has to be read to answer it.

interface GivenQuestion {
  readonly recipientNumber: Msisdn;
  readonly account?: string | undefined;
  readonly senderNumber?: string | undefined;
  readonly content?: string | undefined;
}

/** Throws 1001. */
export function readQuestion(directory: Directory, given: GivenQuestion): TraceQuestion {
  const { recipientNumber: recipient, account: name, content } = given;
  const account = name === undefined ? undefined : directory.findAccount(name);
  if (name !== undefined && account === undefined) throw ApiError.invalidParameter("account", "console.unknownAccount");
  const senderNumber = given.senderNumber && cleanNumber(given.senderNumber, "json");
  if (senderNumber && account === undefined && findLine(senderNumber, directory.lines) === undefined)
    throw ApiError.invalidParameter("senderNumber", "console.unknownLine", { line: senderNumber });
  return { recipient, account, senderNumber, content };
}

/** What the configuration in memory does not hold: which links are up, and the credit. */
export async function stateFor(call: ConsoleCall, account: Account | undefined): Promise<KnownState> {
  const binds = await listBinds(call.reads);
  const bound = new Set(binds.filter((bind) => bind.bound === true).map(({ connectorId }) => connectorId));
  const summary = account && (await findAccountSummary(call.reads, account.name));
  return { bound, credit: summary?.unlimited === false ? summary.balance : undefined };
}
