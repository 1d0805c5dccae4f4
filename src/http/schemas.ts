// The schemas of requests and answers for the OpenAPI document; tests check answers against them.
// Requests are read by hand (read-parameters.ts), which accepts more than these schemas, never
// less.
import { Type, type TSchema } from "./json-schema.ts";

const text = (description: string, example?: string) =>
  Type.String(example === undefined ? { description } : { description, examples: [example] });

const exactly = { additionalProperties: false } as const;

/** A reference to one of `sharedSchemas`. */
export function shared(name: keyof typeof sharedSchemas): TSchema {
  return Type.Ref(`${name}#`);
}

const batchId = Type.String({
  format: "uuid",
  description: "Id of all messages of one call.",
  examples: ["019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10"],
});
const sentMessageId = Type.String({
  format: "uuid",
  description: "Id of the message.",
  examples: ["019392f0-5e7c-7000-8a1c-0d2e4f6a8b9c"],
});
const senderNumber = text("Sender line number.", "10001234");
const recipientNumber = text("Recipient number, as given.", "09121234567");
const content = text("Message text.", "سلام");
const messageStatus = Type.Integer({
  minimum: 0,
  maximum: 4,
  description:
    "0 waiting to be sent, 1 sent to the operator, 2 delivered to the recipient, 3 not delivered, 4 not sent.",
});
const contentErased = Type.Optional(Type.Literal(true, { description: "The text was erased, and content is empty." }));
const errorCode = Type.Integer({ description: "Code of the error; see docs/errors.md.", examples: [1053] });
const errorMessage = text("Description of the error, in English, or in Persian with `Accept-Language: fa`.");

const measured = {
  senderNumber,
  recipientNumber,
  content,
  language: Type.Union([Type.Literal("fa"), Type.Literal("en"), Type.Literal("other")], {
    description: "Language of the text.",
  }),
  operator: text("Mobile operator of the recipient.", "MCI"),
  parts: Type.String({
    pattern: "^[1-9][0-9]*$",
    description: "Number of parts the text is split into.",
    examples: ["1"],
  }),
  cost: Type.String({
    pattern: "^[0-9]{1,3}(,[0-9]{3})*$",
    description: "Cost in rials, with thousands separators.",
    examples: ["1,390"],
  }),
  messageStatus,
};

const failed = { senderNumber, recipientNumber, content, errorCode, errorMessage };
const encoding = Type.Union([Type.Literal("gsm7"), Type.Literal("ucs2")], {
  description: "Encoding of the text for transmission.",
});
const unixSeconds = (description: string) => Type.Integer({ description, examples: [1763640000] });
const anyOf = (...schemas: TSchema[]) => Type.Union(schemas);

export const sharedSchemas = {
  SentMessage: Type.Object({ sentMessageId, ...measured }, { ...exactly, description: "A message that was accepted." }),
  FailedMessage: Type.Object(failed, {
    ...exactly,
    description: "A message of a multi-message call that was refused.",
  }),
  PreviewedMessage: Type.Object(
    {
      ...measured,
      errorCode: Type.Optional(errorCode),
      errorMessage: Type.Optional(errorMessage),
      sendTimestamp: Type.Optional(unixSeconds("When it would be sent, if that is not at once, Unix seconds.")),
      encoding,
    },
    {
      ...exactly,
      description:
        "The message as it would be sent. It is not sent and has no id. errorCode 1308: it would wait for staff.",
    },
  ),
  MessageState: Type.Object(
    {
      sentMessageId,
      ...measured,
      errorCode: Type.Optional(errorCode),
      errorMessage: Type.Optional(errorMessage),
      batchId,
      sendTimestamp: Type.Optional(unixSeconds("When the scheduled message will be sent, Unix seconds.")),
      sentTimestamp: Type.Optional(unixSeconds("When the operator accepted it, Unix seconds.")),
      finalTimestamp: Type.Optional(unixSeconds("When it reached its final status, Unix seconds.")),
      contentErased,
    },
    {
      ...exactly,
      description:
        "The present state of a message. errorCode gives the reason for statuses 3 and 4 and for open outcomes.",
    },
  ),
  UnknownMessage: Type.Object(
    { sentMessageId: Type.String({ description: "The requested id." }), errorCode, errorMessage },
    { ...exactly, description: "An id that is not a message of this account (1106)." },
  ),
  ReceivedMessage: Type.Object(
    {
      receivedMessageId: Type.String({ format: "uuid" }),
      senderNumber: text("The subscriber's number, 989…, or the address that the network gave.", "989121234567"),
      recipientNumber: text("The line's short form.", "10001234"),
      content,
      receivedTimestamp: unixSeconds("When it arrived, Unix seconds."),
      contentErased,
    },
    { ...exactly, description: "A message that a subscriber sent to one of the account's lines." },
  ),
  Error: Type.Object(
    {
      errorCode,
      errorMessage,
      validationErrors: Type.Optional(
        Type.Array(Type.Object({ field: text("Name of the parameter."), errorMessage }, exactly), {
          description: "With errorCode 1001: what is wrong with each field.",
        }),
      ),
    },
    { ...exactly, description: "Body of every error." },
  ),
  BatchError: Type.Object(
    {
      errorCode,
      errorMessage,
      validationErrors: Type.Optional(
        Type.Array(Type.Object({ field: text("Name of the parameter."), errorMessage }, exactly)),
      ),
      messages: Type.Optional(Type.Array(Type.Ref("FailedMessage#"))),
    },
    {
      ...exactly,
      description: "1003 if no message of the call can be sent; 1001 if the call or all its messages are malformed.",
    },
  ),
} as const;

export const singleSendAnswer = Type.Object({ batchId, message: shared("SentMessage") }, exactly);

export const batchSendAnswer = Type.Object(
  {
    batchId,
    messages: Type.Array(anyOf(shared("SentMessage"), shared("FailedMessage")), {
      description: "Sent and failed messages, in the given order.",
    }),
  },
  exactly,
);

export const previewAnswerSchema = anyOf(
  Type.Object({ message: shared("PreviewedMessage") }, exactly),
  Type.Object({ messages: Type.Array(anyOf(shared("PreviewedMessage"), shared("FailedMessage"))) }, exactly),
);

export const batchStatusAnswer = Type.Object({ batchId, messages: Type.Array(shared("MessageState")) }, exactly);

export const messagesStatusAnswer = Type.Object(
  { messages: Type.Array(anyOf(shared("MessageState"), shared("UnknownMessage"))) },
  exactly,
);

export const cancelAnswer = Type.Object({ batchId, canceledCount: Type.Integer({ minimum: 1 }) }, exactly);

export const recentAnswer = Type.Object(
  { messages: Type.Array(shared("ReceivedMessage"), { description: "Newest first." }) },
  exactly,
);

export const receivedAnswer = Type.Object(
  {
    messages: Type.Array(shared("ReceivedMessage"), { description: "Oldest first." }),
    nextCursor: Type.String({
      description: "The `after` of the next call. An empty page returns the same cursor.",
      examples: ["42"],
    }),
  },
  exactly,
);

const event = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The same wherever the event is told." }),
    type: text("What happened.", "message.delivered"),
    timestamp: Type.String({ format: "date-time", description: "The moment of the change, ISO 8601." }),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          "By type. Of a message: what `messages/status` would have answered then; of `message.received`: the element of `messages/received`.",
      },
    ),
  },
  exactly,
);

export const eventsAnswer = Type.Object(
  {
    events: Type.Array(event, { description: "Oldest first." }),
    nextCursor: text("The `after` of the next call. At the end an empty page repeats the cursor."),
  },
  exactly,
);

export const balanceAnswer = Type.Object(
  {
    balance: Type.String({ pattern: "^-?[0-9]{1,3}(,[0-9]{3})*$", examples: ["1,250,000"] }),
    currency: Type.Literal("IRR"),
    unlimited: Type.Optional(Type.Literal(true, { description: "Present if the account has no limit." })),
  },
  exactly,
);

export const tokenAnswer = Type.Object(
  {
    accessToken: Type.String({ description: "Send it as `Authorization: Bearer <accessToken>`." }),
    tokenType: Type.Literal("Bearer"),
    expiresIn: Type.Integer({ description: "Lifetime in seconds.", examples: [3600] }),
  },
  exactly,
);

export const healthAnswer = Type.Object(
  { status: Type.Literal("ok"), checks: Type.Optional(Type.Record(Type.Boolean())) },
  exactly,
);

const givenSender = text("One of the account's lines: 1000xxxx, 00981000xxxx, +981000xxxx or 981000xxxx.", "10001234");
const givenRecipient = text(
  "Mobile number: 09xxxxxxxxx, 9xxxxxxxxx, 00989xxxxxxxxx, +989xxxxxxxxx or 989xxxxxxxxx.",
  "09121234567",
);
const givenContent = Type.String({
  // Bounded by the body, and by the parts that are allowed.
  maxLength: 1 << 20,
  description: "Text to send; not empty and not only spaces.",
  examples: ["سلام"],
});
const sendTimestamp = Type.Optional(
  Type.Integer({
    // No example: a fixed time would soon be in the past, or too far ahead, and make the whole
    // example fail.
    description: "Schedules the send: Unix seconds, later than now, at most 366 days ahead.",
  }),
);
const listOf = (item: TSchema, description: string, example?: readonly string[]) =>
  Type.Array(item, {
    minItems: 1,
    maxItems: 100,
    description: `${description} One value applies to all messages.`,
    ...(example && { examples: [example] }),
  });

const templateFields = {
  senderNumber: Type.Optional(text("Absent: the template's own line.", "10001234")),
  recipientNumber: givenRecipient,
  templateId: text("Id of an approved template of the account.", "TydSt1skQE"),
  parameters: Type.Array(
    Type.Object({
      name: text("Name of a placeholder of the template.", "code"),
      value: Type.String({
        maxLength: 500,
        description: "The text that replaces the placeholder, at most 100 characters.",
        examples: ["483920"],
      }),
    }),
  ),
  sendTimestamp,
};

/** What "Try it out" sends. The demo's account has this line and this template. */
const singleSendExample = { senderNumber: "10001234", recipientNumber: "09121234567", content: "سلام دنیا" };

export const singleSendBody = Type.Object(
  {
    senderNumber: givenSender,
    recipientNumber: givenRecipient,
    content: givenContent,
    sendTimestamp,
  },
  { examples: [singleSendExample] },
);

export const templateSendBody = Type.Object(templateFields, {
  examples: [
    { recipientNumber: "09121234567", templateId: "TydSt1skQE", parameters: [{ name: "code", value: "483920" }] },
  ],
});

export const bulkSendBody = Type.Object(
  {
    senderNumbers: listOf(givenSender, "Sender lines."),
    recipientNumbers: listOf(givenRecipient, "Recipients."),
    contents: listOf(givenContent, "Texts."),
    sendTimestamp,
  },
  {
    examples: [
      { senderNumbers: ["10001234"], recipientNumbers: ["09121234567", "09351234567"], contents: ["سلام دنیا"] },
    ],
  },
);

export const previewBody = Type.Union([singleSendBody, templateSendBody, bulkSendBody], {
  examples: [singleSendExample],
});

export const statusBody = Type.Union(
  [
    Type.Object({
      sentMessageIdes: Type.Array(Type.String({ format: "uuid" }), {
        minItems: 1,
        maxItems: 100,
        description: "Ids of messages; the name `sentMessageIds` is also accepted.",
      }),
    }),
    Type.Object({ batchId }),
  ],
  { examples: [{ sentMessageIdes: ["019392f0-5e7c-7000-8a1c-0d2e4f6a8b9c"] }] },
);

export const tokenBody = Type.Object({
  userName: text("User name.", "demo"),
  password: text("Password."),
  domain: text("Domain of the account.", "demo.example"),
});

/** What "Try it out" sends by URL. The page adds the credentials that the user has entered. */
export const urlSendExample = { senderNumber: ["10001234"], recipientNumber: ["09121234567"], content: ["سلام دنیا"] };

export const urlLists = {
  senderNumber: listOf(givenSender, "Sender lines; repeat the parameter for each.", urlSendExample.senderNumber),
  recipientNumber: listOf(givenRecipient, "Recipients; repeat the parameter for each.", urlSendExample.recipientNumber),
  content: listOf(givenContent, "Texts; repeat the parameter for each.", urlSendExample.content),
  sendTimestamp,
  idempotencyKey: Type.Optional(text("Like the header Idempotency-Key.")),
};

/** No example, because only ids from an actual send are valid. */
export const batchIdParameter = Type.Object({
  batchId: Type.String({ format: "uuid", description: "The `batchId` from the answer to a send." }),
});

export const countParameter = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 }));
