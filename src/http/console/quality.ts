// GET quality: how well messages were delivered over a span of time, beside the same span before it.
import { oneOf, orAbsent, orDefault, plainText } from "../json-schema.ts";
import {
  changeOf,
  type DeliveryCounts,
  type DeliveryQuality,
  endedIn,
  noDelivery,
  percent,
  qualityOf,
  sumOf,
} from "../../sms/delivery-quality.ts";
import { failureKinds } from "../../sms/failure-reason.ts";
import { type DeliveryDimension, listDelivery } from "../../store/delivery-quality.ts";
import { readReportProgress, reportAsOf } from "../../store/reports.ts";
import { textOfFailure } from "../../texts/failure-texts.ts";
import { ApiError, errorCatalogue, errorNameOf } from "../../texts/errors.ts";
import { localize } from "../../texts/localize.ts";
import type { ConsoleCall } from "./console-call.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";

const quarterMs = 900_000;
const hourMs = 4 * quarterMs;
const dayMs = 24 * hourMs;

/** As fine as they stand (foldDelivery). */
const ranges = {
  "1h": { lengthMs: hourMs, stepMs: quarterMs },
  "24h": { lengthMs: dayMs, stepMs: hourMs },
  "7d": { lengthMs: 7 * dayMs, stepMs: dayMs },
  "30d": { lengthMs: 30 * dayMs, stepMs: dayMs },
} as const;
const rangeNames = Object.keys(ranges) as (keyof typeof ranges)[];

const staffDimensions: readonly DeliveryDimension[] = ["connector", "operator", "line", "failure"];
/** Which connectors carry their messages is none of the customers' business. */
const customerDimensions = staffDimensions.filter((by) => by !== "connector");

const mostItems = 1_000;

const parameters = {
  account: orAbsent(plainText("For staff; absent: all accounts.")),
  by: orAbsent(
    oneOf(staffDimensions, {
      description: "`connector` is for staff, who get it if absent; customers get `operator`.",
    }),
  ),
  range: orDefault(oneOf(rangeNames), "24h"),
};

type Quality = Partial<DeliveryQuality> & { readonly ended: number; readonly failedShare?: number | undefined };

interface Spans {
  readonly before: DeliveryCounts;
  readonly now: DeliveryCounts;
}

async function answerQuality(call: ConsoleCall) {
  const { account: name, range, by: given } = call.readQuery(parameters);
  const account = await call.accountNamed(name);
  const dimensions = call.session.account === undefined ? staffDimensions : customerDimensions;
  const by = dimensions.find((each) => each === (given ?? dimensions[0]));
  if (by === undefined) throw ApiError.invalidParameter("by", "console.range");
  const asOf = reportAsOf(await readReportProgress(call.reads));
  const { lengthMs, stepMs } = ranges[range];
  const to = Math.ceil((asOf?.getTime() ?? Date.now()) / stepMs) * stepMs;
  const from = new Date(to - lengthMs);
  const bounds = [new Date(to - 2 * lengthMs), from, new Date(to)];
  const delivery = await listDelivery(call.reads, { by, accountId: account?.id, bounds });
  const totalOf = (span: number) => sumOf(delivery.map(({ spans }) => spans[span] ?? noDelivery));
  const total: Spans = { before: totalOf(0), now: totalOf(1) };
  const textOf = (name: string): string | undefined => {
    if (by !== "failure") return undefined;
    const kind = failureKinds.find((each) => each === name);
    if (kind !== undefined) return textOfFailure({ kind })[call.language];
    const error = errorNameOf(Number(name));
    return error && localize(errorCatalogue[error], call.language, { detail: "" });
  };
  const items = delivery
    .filter(({ name }) => by !== "failure" || name !== "")
    .map(({ name, spans: [ofBefore = noDelivery, ofNow = noDelivery] }) => {
      const own = { before: ofBefore, now: ofNow };
      return { name, ...(by === "failure" ? compareFailures(own, total) : compare(own)) };
    });
  return {
    ...(asOf && { asOf }),
    ...{ range, by, from },
    items: items
      .toSorted((one, other) => sizeOf(other) - sizeOf(one) || other.now.ended - one.now.ended)
      .slice(0, mostItems)
      .map(({ name, ...rest }) => ({ ...(name !== null && { name, text: textOf(name) }), ...rest })),
    total: compare(total),
  };
}

function sizeOf({ change }: { readonly change: number | undefined }): number {
  return change === undefined ? -1 : Math.abs(change);
}

interface Compared {
  readonly change: number | undefined;
  readonly now: Quality;
  readonly before: Quality;
}

function compare(own: Spans): Compared {
  const [before, now] = [qualityOf(own.before), qualityOf(own.now)];
  const change = changeOf(
    { of: now.ended, share: now.deliveredShare },
    { of: before.ended, share: before.deliveredShare },
  );
  return { change, now, before };
}

function compareFailures(own: Spans, total: Spans): Compared {
  const [before, now] = [failuresOf(own.before, total.before), failuresOf(own.now, total.now)];
  const change = changeOf(
    { of: endedIn(total.now), share: now.failedShare },
    { of: endedIn(total.before), share: before.failedShare },
  );
  return { change, now, before };
}

function failuresOf(own: DeliveryCounts, total: DeliveryCounts): Quality {
  const ended = endedIn(own);
  return { ended, failedShare: percent(ended, endedIn(total)) };
}

export const qualityEndpoints = {
  "GET /quality": {
    needs: "readMessages",
    summary: "How well messages were delivered, and what has changed",
    description:
      "By the time of acceptance, as far as the reports have counted. Without messages that wait, that were canceled, that staff did not allow " +
      "and whose recipient had opted out. The last quarter of an hour, hour (of a day) or day (of more, in UTC) is the one that runs now.",
    query: parameters,
    handle: answerQuality,
  },
} satisfies ConsoleEndpoints;
