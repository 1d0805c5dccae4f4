// GET received: what subscribers sent to the lines. Customers see their own with its text; staff see all, also what no account got, and no
// texts.
import { Type } from "typebox";
import { ApiError } from "../../errors.ts";
import { cleanNumber, parseRecipient } from "../../sms/msisdn.ts";
import {
  type ListedReceived,
  listReceivedOf,
  listReceivedOfAll,
  type ReceivedFilter,
} from "../../store/console-reads.ts";
import { uuidCeiling } from "../../uuid.ts";
import type { GivenParameters } from "../read-parameters.ts";
import type { ConsoleDoor } from "./console-door.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  exactly,
  pageOf,
  pageParameters,
  readCount,
  readQuery,
  readTimeParameter,
  time,
} from "./console-endpoint.ts";
import { accountWanted, readId } from "./narrow.ts";

const received = Type.Object(
  {
    receivedMessageId: Type.String({ format: "uuid" }),
    account: Type.Optional(Type.String({ description: "Absent where no account has the line." })),
    senderNumber: Type.String({ description: "The subscriber, 989…, or what the network gave." }),
    recipientNumber: Type.String({ description: "The line." }),
    receivedAt: time("When it arrived."),
    complete: Type.Boolean({ description: "Whether all its parts came." }),
    connector: Type.Optional(Type.String({ description: "For staff only." })),
    content: Type.Optional(Type.String({ description: "The text; for customers only." })),
  },
  exactly,
);

/** The account of what no account got. */
const nobody = 0;
const latestId = uuidCeiling(2 ** 48 - 1);

export function receivedEndpoints(door: ConsoleDoor): ConsoleEndpoint[] {
  return [
    {
      method: "GET",
      path: "/received",
      needs: ["see", "look"],
      schema: {
        operationId: "listReceived",
        summary: "Messages received",
        description: "Newest first.",
        tags: ["Messages"],
        querystring: Type.Object({
          ...pageParameters,
          account: Type.Optional(Type.String({ description: "For staff: of this account." })),
          unassigned: Type.Optional(Type.Literal("true", { description: "For staff: those that no account got." })),
          sender: Type.Optional(Type.String({ description: "Number of the subscriber." })),
          from: Type.Optional(time("Received at or after.")),
          to: Type.Optional(time("Received before.")),
        }),
        response: consoleResponses(pageOf(received), 400, 404),
      },
      answer: async ({ request }) => {
        const session = door.sessionOf(request);
        const query = readQuery(request);
        const account = await accountWanted(door, session, query.text("account"));
        const isStaff = session.kind === "staff";
        const accountId = isStaff && query.text("unassigned") === "true" ? nobody : account?.id;
        const filter = readFilter(query);
        const page =
          accountId === undefined
            ? await listReceivedOfAll(door.reads, readId(query, "after") ?? latestId, filter)
            : await listReceivedOf(door.reads, { accountId, before: readSequence(query), withText: !isStaff }, filter);
        const last = page.length === filter.limit ? page.at(-1) : undefined;
        const nextCursor = accountId === undefined ? last?.id : last?.sequence.toString();
        return { items: page.map((message) => describeReceived(message, isStaff)), nextCursor };
      },
    },
  ];
}

function readFilter(query: GivenParameters): ReceivedFilter {
  const sender = query.text("sender");
  return {
    sender: sender && (parseRecipient(cleanNumber(sender, "json")) ?? sender),
    from: readTimeParameter(query, "from"),
    to: readTimeParameter(query, "to"),
    limit: readCount(query),
  };
}

const lastSequence = 9_223_372_036_854_775_807n;

function readSequence(query: GivenParameters): bigint {
  const given = query.text("after");
  if (given === undefined) return lastSequence;
  if (/^[0-9]{1,18}$/.test(given)) return BigInt(given);
  throw ApiError.invalidParameters([{ field: "after", messageKey: "after.form" }]);
}

function describeReceived(message: ListedReceived, isStaff: boolean): object {
  const { id, account, sender, recipient, receivedAt, complete, connector, content } = message;
  return {
    ...{ receivedMessageId: id, account, senderNumber: sender, recipientNumber: recipient, receivedAt, complete },
    ...(isStaff ? { connector } : { content }),
  };
}
