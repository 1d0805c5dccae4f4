// The schemas of requests and answers for the OpenAPI document; tests check answers against them.
// Requests are read by hand (read-parameters.ts), which accepts more than these schemas, never
// less.
import { failureKinds } from "../sms/failure-reason.ts";
import {
  anyOf,
  array,
  boolean,
  input,
  integer,
  literal,
  object,
  oneOf,
  orAbsent,
  record,
  ref,
  plainText,
  time,
  uuidText,
  type TSchema,
} from "./json-schema.ts";

const textWithExample = (description: string, example?: string) =>
  plainText(example === undefined ? { description } : { description, examples: [example] });

/** A reference to one of `sharedSchemas`. */
export function shared(name: keyof typeof sharedSchemas): TSchema {
  return ref(`${name}#`);
}

const batchId = plainText({
  format: "uuid",
  description: "Id of all messages of one call.",
  examples: ["019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10"],
});
const sentMessageId = plainText({
  format: "uuid",
  description: "Id of the message.",
  examples: ["019392f0-5e7c-7000-8a1c-0d2e4f6a8b9c"],
});
const senderNumber = textWithExample("Sender line number.", "10001234");
const recipientNumber = textWithExample("Recipient number, as given.", "09121234567");
const content = textWithExample("Message text.", "سلام");
const messageStatus = integer({
  minimum: 0,
  maximum: 4,
  description:
    "0 waiting to be sent, 1 sent to the operator, 2 delivered to the recipient, 3 not delivered, 4 not sent.",
});
const contentErased = orAbsent(literal(true, "The text was erased, and content is empty."));
const errorCode = integer({ description: "Code of the error; see docs/errors.md.", examples: [1053] });
const errorMessage = textWithExample("Description of the error, in English, or in Persian with `Accept-Language: fa`.");

const measured = {
  senderNumber,
  recipientNumber,
  content,
  language: oneOf(["fa", "en", "other"], "Language of the text."),
  operator: textWithExample("Mobile operator of the recipient.", "MCI"),
  parts: plainText({
    pattern: "^[1-9][0-9]*$",
    description: "Number of parts the text is split into.",
    examples: ["1"],
  }),
  cost: plainText({
    pattern: "^[0-9]{1,3}(,[0-9]{3})*$",
    description: "Cost in rials, with thousands separators.",
    examples: ["1,390"],
  }),
  messageStatus,
};

const failed = { senderNumber, recipientNumber, content, errorCode, errorMessage };
const encoding = oneOf(["gsm7", "ucs2"], "Encoding of the text for transmission.");
const unixSeconds = (description: string) => integer({ description, examples: [1763640000] });

export const sharedSchemas = {
  SentMessage: object({ sentMessageId, ...measured }, "A message that was accepted."),
  FailedMessage: object(failed, "A message of a multi-message call that was refused."),
  PreviewedMessage: object(
    {
      ...measured,
      errorCode: orAbsent(errorCode),
      errorMessage: orAbsent(errorMessage),
      sendTimestamp: orAbsent(unixSeconds("When it would be sent, if that is not at once, Unix seconds.")),
      encoding,
      costlyCharacters: orAbsent(
        array(
          object({
            character: plainText(),
            codePoint: plainText({ examples: ["U+2019"] }),
            position: integer("Of its first occurrence, in characters from 1."),
            reason: oneOf(["ucs2", "twoSeptets"]),
          }),
          "Characters for which all of the text goes as UCS-2, or which take two septets; each once, at most 20.",
        ),
      ),
    },
    "The message as it would be sent. It is not sent and has no id. errorCode 1308: it would wait for staff.",
  ),
  MessageState: object(
    {
      sentMessageId,
      ...measured,
      errorCode: orAbsent(errorCode),
      errorMessage: orAbsent(errorMessage),
      reason: orAbsent(
        oneOf(failureKinds, "Why it failed, where the operator says so in a code that the service knows."),
      ),
      batchId,
      sendTimestamp: orAbsent(unixSeconds("When the scheduled message will be sent, Unix seconds.")),
      sentTimestamp: orAbsent(unixSeconds("When the operator accepted it, Unix seconds.")),
      finalTimestamp: orAbsent(unixSeconds("When it reached its final status, Unix seconds.")),
      contentErased,
    },
    "The present state of a message. errorCode gives the reason for statuses 3 and 4 and for open outcomes.",
  ),
  UnknownMessage: object(
    { sentMessageId: plainText("The requested id."), errorCode, errorMessage },
    "An id that is not a message of this account (1106).",
  ),
  ReceivedMessage: object(
    {
      receivedMessageId: uuidText(),
      senderNumber: textWithExample(
        "The subscriber's number, 989…, or the address that the network gave.",
        "989121234567",
      ),
      recipientNumber: textWithExample("The line's short form.", "10001234"),
      content,
      receivedTimestamp: unixSeconds("When it arrived, Unix seconds."),
      contentErased,
    },
    "A message that a subscriber sent to one of the account's lines.",
  ),
  Error: object(
    {
      errorCode,
      errorMessage,
      validationErrors: orAbsent(
        array(
          object({ field: textWithExample("Name of the parameter."), errorMessage }),
          "With errorCode 1001: what is wrong with each field.",
        ),
      ),
    },
    "Body of every error.",
  ),
  BatchError: object(
    {
      errorCode,
      errorMessage,
      validationErrors: orAbsent(array(object({ field: textWithExample("Name of the parameter."), errorMessage }))),
      messages: orAbsent(array(ref("FailedMessage#"))),
    },
    "1003 if no message of the call can be sent; 1001 if the call or all its messages are malformed.",
  ),
} as const;

export const singleSendAnswer = object({ batchId, message: shared("SentMessage") });

export const batchSendAnswer = object({
  batchId,
  messages: array(
    anyOf([shared("SentMessage"), shared("FailedMessage")]),
    "Sent and failed messages, in the given order.",
  ),
});

export const previewAnswerSchema = anyOf([
  object({ message: shared("PreviewedMessage") }),
  object({ messages: array(anyOf([shared("PreviewedMessage"), shared("FailedMessage")])) }),
]);

export const batchStatusAnswer = object({ batchId, messages: array(shared("MessageState")) });

export const messagesStatusAnswer = object({
  messages: array(anyOf([shared("MessageState"), shared("UnknownMessage")])),
});

export const cancelAnswer = object({ batchId, canceledCount: integer({ minimum: 1 }) });

export const recentAnswer = object({ messages: array(shared("ReceivedMessage"), "Newest first.") });

export const receivedAnswer = object({
  messages: array(shared("ReceivedMessage"), "Oldest first."),
  nextCursor: plainText({
    description: "The `after` of the next call. An empty page returns the same cursor.",
    examples: ["42"],
  }),
});

const event = object({
  id: uuidText("The same wherever the event is told."),
  type: textWithExample("What happened.", "message.delivered"),
  timestamp: time("The moment of the change, ISO 8601."),
  data: input(
    {},
    {
      additionalProperties: true,
      description:
        "By type. Of a message: what `messages/status` would have answered then; of `message.received`: the element of `messages/received`.",
    },
  ),
});

export const eventsAnswer = object({
  events: array(event, "Oldest first."),
  nextCursor: textWithExample("The `after` of the next call. At the end an empty page repeats the cursor."),
});

export const balanceAnswer = object({
  balance: plainText({ pattern: "^-?[0-9]{1,3}(,[0-9]{3})*$", examples: ["1,250,000"] }),
  currency: literal("IRR"),
  unlimited: orAbsent(literal(true, "Present if the account has no limit.")),
});

export const tokenAnswer = object({
  accessToken: plainText("Send it as `Authorization: Bearer <accessToken>`."),
  tokenType: literal("Bearer"),
  expiresIn: integer({ description: "Lifetime in seconds.", examples: [3600] }),
});

export const healthAnswer = object({ status: literal("ok"), checks: orAbsent(record(boolean())) });

const givenSender = textWithExample(
  "One of the account's lines: 1000xxxx, 00981000xxxx, +981000xxxx or 981000xxxx.",
  "10001234",
);
const givenRecipient = textWithExample(
  "Mobile number: 09xxxxxxxxx, 9xxxxxxxxx, 00989xxxxxxxxx, +989xxxxxxxxx or 989xxxxxxxxx.",
  "09121234567",
);
const givenContent = plainText({
  // Bounded by the body, and by the parts that are allowed.
  maxLength: 1 << 20,
  description: "Text to send; not empty and not only spaces.",
  examples: ["سلام"],
});
// No example: a fixed time would soon be in the past, or too far ahead, and make the whole example fail.
const sendTimestamp = orAbsent(integer("Schedules the send: Unix seconds, later than now, at most 366 days ahead."));
const listOf = (item: TSchema, description: string, example?: readonly string[]) =>
  array(item, {
    minItems: 1,
    maxItems: 100,
    description: `${description} One value applies to all messages.`,
    ...(example && { examples: [example] }),
  });

const templateFields = {
  senderNumber: orAbsent(textWithExample("Absent: the template's own line.", "10001234")),
  recipientNumber: givenRecipient,
  templateId: textWithExample("Id of an approved template of the account.", "TydSt1skQE"),
  parameters: array(
    input({
      name: textWithExample("Name of a placeholder of the template.", "code"),
      value: plainText({
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

export const singleSendBody = input(
  {
    senderNumber: givenSender,
    recipientNumber: givenRecipient,
    content: givenContent,
    sendTimestamp,
  },
  { examples: [singleSendExample] },
);

export const templateSendBody = input(templateFields, {
  examples: [
    { recipientNumber: "09121234567", templateId: "TydSt1skQE", parameters: [{ name: "code", value: "483920" }] },
  ],
});

export const bulkSendBody = input(
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

export const previewBody = anyOf([singleSendBody, templateSendBody, bulkSendBody], {
  examples: [singleSendExample],
});

export const statusBody = anyOf(
  [
    input({
      sentMessageIdes: array(uuidText(), {
        minItems: 1,
        maxItems: 100,
        description: "Ids of messages; the name `sentMessageIds` is also accepted.",
      }),
    }),
    input({ batchId }),
  ],
  { examples: [{ sentMessageIdes: ["019392f0-5e7c-7000-8a1c-0d2e4f6a8b9c"] }] },
);

export const tokenBody = input({
  userName: textWithExample("User name.", "demo"),
  password: textWithExample("Password."),
  domain: textWithExample("Domain of the account.", "demo.example"),
});

/** What "Try it out" sends by URL. The page adds the credentials that the user has entered. */
export const urlSendExample = { senderNumber: ["10001234"], recipientNumber: ["09121234567"], content: ["سلام دنیا"] };

export const urlLists = {
  senderNumber: listOf(givenSender, "Sender lines; repeat the parameter for each.", urlSendExample.senderNumber),
  recipientNumber: listOf(givenRecipient, "Recipients; repeat the parameter for each.", urlSendExample.recipientNumber),
  content: listOf(givenContent, "Texts; repeat the parameter for each.", urlSendExample.content),
  sendTimestamp,
  idempotencyKey: orAbsent(textWithExample("Like the header Idempotency-Key.")),
};

/** No example, because only ids from an actual send are valid. */
export const batchIdParameter = {
  batchId: uuidText("The `batchId` from the answer to a send."),
};

export const countParameter = orAbsent(integer({ minimum: 1, maximum: 100, default: 100 }));
