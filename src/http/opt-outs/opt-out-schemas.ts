// The shapes of opt-outs for the OpenAPI document, and their JSON.
import { Type } from "../json-schema.ts";

const exactly = { additionalProperties: false } as const;
const lineNumber = Type.String({ description: "The line, in its short form.", examples: ["10001234"] });
const recipientNumber = Type.String({ description: "The mobile number as 989…", examples: ["989121234567"] });

export const optOutSchema = Type.Object(
  {
    lineNumber,
    recipientNumber,
    how: Type.Union(
      ["message", "api", "staff", "import"].map((how) => Type.Literal(how)),
      {
        description:
          "message: the person wrote a stop word. api: an account asked for it here, for itself alone. staff, import: the service's staff did.",
      },
    ),
    createdTimestamp: Type.Integer({ description: "Unix seconds.", examples: [1795203400] }),
  },
  exactly,
);

export const optOutsAnswer = Type.Object(
  {
    optOuts: Type.Array(optOutSchema, { description: "By line and number." }),
    nextCursor: Type.String({
      description: "The `after` of the next call. An empty page returns the same cursor.",
      examples: ["10001234-989121234567-0"],
    }),
  },
  exactly,
);

export const optOutRemovedAnswer = Type.Object(
  {
    lineNumber,
    recipientNumber,
    removed: Type.Boolean({ description: "false: there was no entry." }),
  },
  exactly,
);

export const optOutPath = Type.Object({
  line: Type.String({ description: "One of the account's lines, in any form.", examples: ["10001234"] }),
  number: Type.String({ description: "A mobile number, in any form.", examples: ["09121234567"] }),
});
