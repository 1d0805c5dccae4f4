// Campaigns and their rows as the console's API tells them.
import { Type } from "../json-schema.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import type { ListedRow } from "../../store/campaign-rows.ts";
import { type Campaign, campaignStates } from "../../store/campaigns.ts";
import { exactly, inRials, time } from "./console-endpoint.ts";
import { faultText } from "./fault-text.ts";
import { describeReason } from "./message-fields.ts";

export const campaignInPath = Type.Object({ id: Type.String({ format: "uuid" }) });

const pauseReasons = ["person", "credit", "ceiling", "permission", "restored"];

export const campaignSchema = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    account: Type.String(),
    name: Type.String(),
    state: Type.Union(campaignStates.map((state) => Type.Literal(state))),
    pauseReason: Type.Optional(Type.Union(pauseReasons.map((reason) => Type.Literal(reason)))),
    createdBy: Type.String(),
    createdAt: time("When the draft was made."),
    startedAt: Type.Optional(time("When it was started.")),
    endedAt: Type.Optional(time("When it was stopped, or its last row was accepted.")),
    senderNumber: Type.Optional(Type.String()),
    templateId: Type.Optional(Type.String()),
    content: Type.Optional(Type.String({ description: "The text of all messages; for customers only." })),
    columns: Type.Array(Type.String(), { description: "Names of the values of each row." }),
    skipDuplicates: Type.Boolean({ description: "Whether a number gets one message only." }),
    sendAt: Type.Optional(time("Of a scheduled campaign.")),
    rows: Type.Integer(),
    faulty: Type.Integer({ description: "Rows that cannot be sent, as found when they were sent up." }),
    blocked: Type.Integer({ description: "Of these, recipients on the account's block list." }),
    duplicates: Type.Integer({ description: "Rows with the recipient of an earlier one." }),
    expectedParts: Type.Integer({ description: "Of all rows that can be sent." }),
    expectedCost: inRials("Of all rows that can be sent, at the prices of when they were sent up."),
    fed: Type.Integer({ description: "Rows up to this number have their outcome." }),
    accepted: Type.Integer({ description: "Rows whose message was accepted." }),
    refused: Type.Integer({ description: "Rows that could not be sent." }),
    skipped: Type.Integer({ description: "Duplicates that were left out." }),
    parts: Type.Integer({ description: "Of the accepted messages." }),
    cost: inRials("Of the accepted messages."),
    canceling: Type.Optional(Type.Literal(true, { description: "Stopped; waiting messages are being canceled." })),
    canceled: Type.Integer({ description: "Messages that Stop has canceled and refunded." }),
  },
  exactly,
);

export function describeCampaign(campaign: Campaign, { withText }: { withText: boolean }): object {
  const { sender, content, canceling, ...rest } = campaign;
  const told = {
    ...rest,
    accountId: undefined,
    ...(sender !== null && { senderNumber: sender }),
    ...(canceling && { canceling }),
  };
  if (!withText || content === null) return told;
  return { ...told, content };
}

export const rowSchema = Type.Object(
  {
    number: Type.Integer({ description: "In the order of the file, from 1." }),
    recipientNumber: Type.String(),
    duplicateOf: Type.Optional(Type.Integer({ description: "An earlier row with the same recipient." })),
    sentMessageId: Type.Optional(Type.String({ format: "uuid" })),
    messageStatus: Type.Optional(Type.Integer({ description: "Of its message, as long as that is kept." })),
    errorCode: Type.Optional(
      Type.Integer({ description: "Why it is not sent, or the reason of its message's status." }),
    ),
    errorMessage: Type.Optional(Type.String()),
  },
  exactly,
);

export function describeRow(row: ListedRow, language: AnswerLanguage): object {
  const { number, recipient, duplicateOf, messageId, status, fault } = row;
  return {
    ...{ number, recipientNumber: recipient, duplicateOf, sentMessageId: messageId, messageStatus: status },
    ...(fault === null
      ? describeReason(row, language)
      : { errorCode: fault.code, errorMessage: faultText(fault, language) }),
  };
}

export const outcomesSchema = Type.Object(
  {
    waiting: Type.Integer(),
    sent: Type.Integer(),
    delivered: Type.Integer(),
    undelivered: Type.Integer(),
    unsent: Type.Integer(),
    refunded: inRials("Given back for messages that were not sent."),
  },
  exactly,
);
