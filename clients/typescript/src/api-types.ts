// Generated from docs/openapi.json by `npm run docs`: what each operation of the API takes and answers.

/** A message that was accepted. */
export type SentMessage = {
  /** Id of the message. */
  readonly sentMessageId: string;
  /** Sender line number. */
  readonly senderNumber: string;
  /** Recipient number, as given. */
  readonly recipientNumber: string;
  /** Message text. */
  readonly content: string;
  /** Language of the text. */
  readonly language: "fa" | "en" | "other";
  /** Mobile operator of the recipient. */
  readonly operator: string;
  /** Number of parts the text is split into. */
  readonly parts: string;
  /** Cost in rials, with thousands separators. */
  readonly cost: string;
  /** 0 waiting to be sent, 1 sent to the operator, 2 delivered to the recipient, 3 not delivered, 4 not sent. */
  readonly messageStatus: number;
};

/** A message of a multi-message call that was refused. */
export type FailedMessage = {
  /** Sender line number. */
  readonly senderNumber: string;
  /** Recipient number, as given. */
  readonly recipientNumber: string;
  /** Message text. */
  readonly content: string;
  /** Code of the error; see docs/errors.md. */
  readonly errorCode: number;
  /** Description of the error, in English, or in Persian with `Accept-Language: fa`. */
  readonly errorMessage: string;
};

/** The message as it would be sent. It is not sent and has no id. errorCode 1308: it would wait for staff. */
export type PreviewedMessage = {
  /** Sender line number. */
  readonly senderNumber: string;
  /** Recipient number, as given. */
  readonly recipientNumber: string;
  /** Message text. */
  readonly content: string;
  /** Language of the text. */
  readonly language: "fa" | "en" | "other";
  /** Mobile operator of the recipient. */
  readonly operator: string;
  /** Number of parts the text is split into. */
  readonly parts: string;
  /** Cost in rials, with thousands separators. */
  readonly cost: string;
  /** 0 waiting to be sent, 1 sent to the operator, 2 delivered to the recipient, 3 not delivered, 4 not sent. */
  readonly messageStatus: number;
  /** Code of the error; see docs/errors.md. */
  readonly errorCode?: number;
  /** Description of the error, in English, or in Persian with `Accept-Language: fa`. */
  readonly errorMessage?: string;
  /** When it would be sent, if that is not at once, Unix seconds. */
  readonly sendTimestamp?: number;
  /** Encoding of the text for transmission. */
  readonly encoding: "gsm7" | "ucs2";
};

/** The present state of a message. errorCode gives the reason for statuses 3 and 4 and for open outcomes. */
export type MessageState = {
  /** Id of the message. */
  readonly sentMessageId: string;
  /** Sender line number. */
  readonly senderNumber: string;
  /** Recipient number, as given. */
  readonly recipientNumber: string;
  /** Message text. */
  readonly content: string;
  /** Language of the text. */
  readonly language: "fa" | "en" | "other";
  /** Mobile operator of the recipient. */
  readonly operator: string;
  /** Number of parts the text is split into. */
  readonly parts: string;
  /** Cost in rials, with thousands separators. */
  readonly cost: string;
  /** 0 waiting to be sent, 1 sent to the operator, 2 delivered to the recipient, 3 not delivered, 4 not sent. */
  readonly messageStatus: number;
  /** Code of the error; see docs/errors.md. */
  readonly errorCode?: number;
  /** Description of the error, in English, or in Persian with `Accept-Language: fa`. */
  readonly errorMessage?: string;
  /** Id of all messages of one call. */
  readonly batchId: string;
  /** When the scheduled message will be sent, Unix seconds. */
  readonly sendTimestamp?: number;
  /** When the operator accepted it, Unix seconds. */
  readonly sentTimestamp?: number;
  /** When it reached its final status, Unix seconds. */
  readonly finalTimestamp?: number;
  /** The text was erased, and content is empty. */
  readonly contentErased?: true;
};

/** An id that is not a message of this account (1106). */
export type UnknownMessage = {
  /** The requested id. */
  readonly sentMessageId: string;
  /** Code of the error; see docs/errors.md. */
  readonly errorCode: number;
  /** Description of the error, in English, or in Persian with `Accept-Language: fa`. */
  readonly errorMessage: string;
};

/** A message that a subscriber sent to one of the account's lines. */
export type ReceivedMessage = {
  readonly receivedMessageId: string;
  /** The subscriber's number, 989…, or the address that the network gave. */
  readonly senderNumber: string;
  /** The line's short form. */
  readonly recipientNumber: string;
  /** Message text. */
  readonly content: string;
  /** When it arrived, Unix seconds. */
  readonly receivedTimestamp: number;
  /** The text was erased, and content is empty. */
  readonly contentErased?: true;
};

/** Body of every error. */
export type Error = {
  /** Code of the error; see docs/errors.md. */
  readonly errorCode: number;
  /** Description of the error, in English, or in Persian with `Accept-Language: fa`. */
  readonly errorMessage: string;
  /** With errorCode 1001: what is wrong with each field. */
  readonly validationErrors?: readonly {
    /** Name of the parameter. */
    readonly field: string;
    /** Description of the error, in English, or in Persian with `Accept-Language: fa`. */
    readonly errorMessage: string;
  }[];
};

/** 1003 if no message of the call can be sent; 1001 if the call or all its messages are malformed. */
export type BatchError = {
  /** Code of the error; see docs/errors.md. */
  readonly errorCode: number;
  /** Description of the error, in English, or in Persian with `Accept-Language: fa`. */
  readonly errorMessage: string;
  readonly validationErrors?: readonly {
    /** Name of the parameter. */
    readonly field: string;
    /** Description of the error, in English, or in Persian with `Accept-Language: fa`. */
    readonly errorMessage: string;
  }[];
  readonly messages?: readonly FailedMessage[];
};

/** By operationId. */
export type Operations = {
  readonly sendMessage: {
    readonly body: {
      /** One of the account's lines: 1000xxxx, 00981000xxxx, +981000xxxx or 981000xxxx. */
      readonly senderNumber: string;
      /** Mobile number: 09xxxxxxxxx, 9xxxxxxxxx, 00989xxxxxxxxx, +989xxxxxxxxx or 989xxxxxxxxx. */
      readonly recipientNumber: string;
      /** Text to send; not empty and not only spaces. */
      readonly content: string;
      /** Schedules the send: Unix seconds, later than now, at most 366 days ahead. */
      readonly sendTimestamp?: number;
    };
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      readonly message: SentMessage;
    };
  };
  readonly sendTemplateMessage: {
    readonly body: {
      /** Absent: the template's own line. */
      readonly senderNumber?: string;
      /** Mobile number: 09xxxxxxxxx, 9xxxxxxxxx, 00989xxxxxxxxx, +989xxxxxxxxx or 989xxxxxxxxx. */
      readonly recipientNumber: string;
      /** Id of an approved template of the account. */
      readonly templateId: string;
      readonly parameters: readonly {
        /** Name of a placeholder of the template. */
        readonly name: string;
        /** The text that replaces the placeholder, at most 100 characters. */
        readonly value: string;
      }[];
      /** Schedules the send: Unix seconds, later than now, at most 366 days ahead. */
      readonly sendTimestamp?: number;
    };
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      readonly message: SentMessage;
    };
  };
  readonly sendBulk: {
    readonly body: {
      /** Sender lines. One value applies to all messages. */
      readonly senderNumbers: readonly string[];
      /** Recipients. One value applies to all messages. */
      readonly recipientNumbers: readonly string[];
      /** Texts. One value applies to all messages. */
      readonly contents: readonly string[];
      /** Schedules the send: Unix seconds, later than now, at most 366 days ahead. */
      readonly sendTimestamp?: number;
    };
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      /** Sent and failed messages, in the given order. */
      readonly messages: readonly (SentMessage | FailedMessage)[];
    };
  };
  readonly previewMessages: {
    readonly body: {
      /** One of the account's lines: 1000xxxx, 00981000xxxx, +981000xxxx or 981000xxxx. */
      readonly senderNumber: string;
      /** Mobile number: 09xxxxxxxxx, 9xxxxxxxxx, 00989xxxxxxxxx, +989xxxxxxxxx or 989xxxxxxxxx. */
      readonly recipientNumber: string;
      /** Text to send; not empty and not only spaces. */
      readonly content: string;
      /** Schedules the send: Unix seconds, later than now, at most 366 days ahead. */
      readonly sendTimestamp?: number;
    } | {
      /** Absent: the template's own line. */
      readonly senderNumber?: string;
      /** Mobile number: 09xxxxxxxxx, 9xxxxxxxxx, 00989xxxxxxxxx, +989xxxxxxxxx or 989xxxxxxxxx. */
      readonly recipientNumber: string;
      /** Id of an approved template of the account. */
      readonly templateId: string;
      readonly parameters: readonly {
        /** Name of a placeholder of the template. */
        readonly name: string;
        /** The text that replaces the placeholder, at most 100 characters. */
        readonly value: string;
      }[];
      /** Schedules the send: Unix seconds, later than now, at most 366 days ahead. */
      readonly sendTimestamp?: number;
    } | {
      /** Sender lines. One value applies to all messages. */
      readonly senderNumbers: readonly string[];
      /** Recipients. One value applies to all messages. */
      readonly recipientNumbers: readonly string[];
      /** Texts. One value applies to all messages. */
      readonly contents: readonly string[];
      /** Schedules the send: Unix seconds, later than now, at most 366 days ahead. */
      readonly sendTimestamp?: number;
    };
    readonly answer: {
      readonly message: PreviewedMessage;
    } | {
      readonly messages: readonly (PreviewedMessage | FailedMessage)[];
    };
  };
  readonly cancelScheduled: {
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      readonly canceledCount: number;
    };
  };
  readonly sendMessagesByUrl: {
    readonly query: {
      readonly senderNumber: readonly string[];
      readonly recipientNumber: readonly string[];
      readonly content: readonly string[];
      readonly sendTimestamp?: number;
      readonly idempotencyKey?: string;
    };
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      /** Sent and failed messages, in the given order. */
      readonly messages: readonly (SentMessage | FailedMessage)[];
    };
  };
  readonly postMessagesByUrl: {
    readonly body: {
      /** The API key. */
      readonly apiKey?: string;
      /** Sender lines; repeat the parameter for each. One value applies to all messages. */
      readonly senderNumber: readonly string[];
      /** Recipients; repeat the parameter for each. One value applies to all messages. */
      readonly recipientNumber: readonly string[];
      /** Texts; repeat the parameter for each. One value applies to all messages. */
      readonly content: readonly string[];
      /** Schedules the send: Unix seconds, later than now, at most 366 days ahead. */
      readonly sendTimestamp?: number;
      /** Like the header Idempotency-Key. */
      readonly idempotencyKey?: string;
    };
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      /** Sent and failed messages, in the given order. */
      readonly messages: readonly (SentMessage | FailedMessage)[];
    };
  };
  readonly sendMessagesByUrlWithCredentials: {
    readonly query: {
      readonly senderNumber: readonly string[];
      readonly recipientNumber: readonly string[];
      readonly content: readonly string[];
      readonly sendTimestamp?: number;
      readonly idempotencyKey?: string;
    };
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      /** Sent and failed messages, in the given order. */
      readonly messages: readonly (SentMessage | FailedMessage)[];
    };
  };
  readonly postMessagesByUrlWithCredentials: {
    readonly body: {
      /** User name. */
      readonly username?: string;
      /** Password. */
      readonly password?: string;
      /** Domain of the account. */
      readonly domain?: string;
      /** Sender lines; repeat the parameter for each. One value applies to all messages. */
      readonly senderNumber: readonly string[];
      /** Recipients; repeat the parameter for each. One value applies to all messages. */
      readonly recipientNumber: readonly string[];
      /** Texts; repeat the parameter for each. One value applies to all messages. */
      readonly content: readonly string[];
      /** Schedules the send: Unix seconds, later than now, at most 366 days ahead. */
      readonly sendTimestamp?: number;
      /** Like the header Idempotency-Key. */
      readonly idempotencyKey?: string;
    };
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      /** Sent and failed messages, in the given order. */
      readonly messages: readonly (SentMessage | FailedMessage)[];
    };
  };
  readonly findMessageStatus: {
    readonly body: {
      /** Ids of messages; the name `sentMessageIds` is also accepted. */
      readonly sentMessageIdes: readonly string[];
    } | {
      /** Id of all messages of one call. */
      readonly batchId: string;
    };
    readonly answer: {
      readonly messages: readonly (MessageState | UnknownMessage)[];
    } | {
      /** Id of all messages of one call. */
      readonly batchId: string;
      readonly messages: readonly MessageState[];
    };
  };
  readonly getBatchStatusByQuery: {
    readonly query: {
      readonly batchId: string;
    };
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      readonly messages: readonly MessageState[];
    };
  };
  readonly getBatchStatus: {
    readonly answer: {
      /** Id of all messages of one call. */
      readonly batchId: string;
      readonly messages: readonly MessageState[];
    };
  };
  readonly listRecentReceived: {
    readonly query: {
      readonly count?: number;
    };
    readonly answer: {
      /** Newest first. */
      readonly messages: readonly ReceivedMessage[];
    };
  };
  readonly listReceived: {
    readonly query: {
      readonly after?: string;
      readonly count?: number;
    };
    readonly answer: {
      /** Oldest first. */
      readonly messages: readonly ReceivedMessage[];
      /** The `after` of the next call. An empty page returns the same cursor. */
      readonly nextCursor: string;
    };
  };
  readonly listOptOuts: {
    readonly query: {
      readonly line?: string;
      readonly number?: string;
      readonly after?: string;
      readonly count?: number;
    };
    readonly answer: {
      /** By line and number. */
      readonly optOuts: readonly {
        /** The line, in its short form. */
        readonly lineNumber: string;
        /** The mobile number as 989… */
        readonly recipientNumber: string;
        /** message: the person wrote a stop word. api: an account asked for it here, for itself alone. staff, import: the service's staff did. */
        readonly how: "message" | "api" | "staff" | "import";
        /** Unix seconds. */
        readonly createdTimestamp: number;
      }[];
      /** The `after` of the next call. An empty page returns the same cursor. */
      readonly nextCursor: string;
    };
  };
  readonly putOptOut: {
    readonly answer: {
      /** The line, in its short form. */
      readonly lineNumber: string;
      /** The mobile number as 989… */
      readonly recipientNumber: string;
      /** message: the person wrote a stop word. api: an account asked for it here, for itself alone. staff, import: the service's staff did. */
      readonly how: "message" | "api" | "staff" | "import";
      /** Unix seconds. */
      readonly createdTimestamp: number;
    };
  };
  readonly deleteOptOut: {
    readonly answer: {
      /** The line, in its short form. */
      readonly lineNumber: string;
      /** The mobile number as 989… */
      readonly recipientNumber: string;
      /** false: there was no entry. */
      readonly removed: boolean;
    };
  };
  readonly listEvents: {
    readonly query: {
      readonly after?: string;
      readonly count?: number;
      readonly type?: readonly ("message.sent" | "message.delivered" | "message.undelivered" | "message.failed" | "message.unreported" | "message.received" | "recipient.optedOut" | "recipient.optedIn" | "credit.low" | "template.decided" | "endpoint.disabled")[];
    };
    readonly answer: {
      /** Oldest first. */
      readonly events: readonly {
        /** The same wherever the event is told. */
        readonly id: string;
        /** What happened. */
        readonly type: string;
        /** The moment of the change, ISO 8601. */
        readonly timestamp: string;
        /** By type. Of a message: what `messages/status` would have answered then; of `message.received`: the element of `messages/received`. */
        readonly data: Readonly<Record<string, unknown>>;
      }[];
      /** The `after` of the next call. At the end an empty page repeats the cursor. */
      readonly nextCursor: string;
    };
  };
  readonly listEndpoints: {
    readonly answer: {
      /** All endpoints of the account, in the order of their creation. */
      readonly endpoints: readonly {
        readonly endpointId: string;
        /** Unique in the account. */
        readonly name: string;
        /** An https URL that leads to an address of the public internet. */
        readonly url: string;
        /** Types of events, prefixes such as `message.*`, or `*` for all. */
        readonly events: readonly string[];
        /** Largest number of events in a request. 1: one request for each event. */
        readonly batchSize: number;
        /** false: no events are sent to it. */
        readonly enabled: boolean;
        /** Unix seconds. When it was created. */
        readonly createdTimestamp: number;
        /** Unix seconds. When a request to it last succeeded. */
        readonly lastSuccessTimestamp?: number;
        /** Unix seconds. When a request to it last failed. */
        readonly lastFailureTimestamp?: number;
        /** Unix seconds. Time of the oldest event that waits for it. */
        readonly oldestWaitingTimestamp?: number;
        /** gone: it answered 410. failing: all requests of 5 days failed. Absent: a person or a call disabled it. */
        readonly disabledReason?: string;
      }[];
    };
  };
  readonly createEndpoint: {
    readonly body: {
      /** Unique in the account. */
      readonly name: string;
      /** An https URL that leads to an address of the public internet. */
      readonly url: string;
      /** Types of events, prefixes such as `message.*`, or `*` for all. */
      readonly events: readonly string[];
      /** Largest number of events in a request. 1: one request for each event. */
      readonly batchSize?: number;
      /** false: no events are sent to it. */
      readonly enabled?: boolean;
      /** `whsec_` and base64 of 24 to 64 bytes. Absent: a random secret is created. */
      readonly secret?: string;
    };
    readonly answer: {
      readonly endpointId: string;
      /** Unique in the account. */
      readonly name: string;
      /** An https URL that leads to an address of the public internet. */
      readonly url: string;
      /** Types of events, prefixes such as `message.*`, or `*` for all. */
      readonly events: readonly string[];
      /** Largest number of events in a request. 1: one request for each event. */
      readonly batchSize: number;
      /** false: no events are sent to it. */
      readonly enabled: boolean;
      /** Unix seconds. When it was created. */
      readonly createdTimestamp: number;
      /** Unix seconds. When a request to it last succeeded. */
      readonly lastSuccessTimestamp?: number;
      /** Unix seconds. When a request to it last failed. */
      readonly lastFailureTimestamp?: number;
      /** Unix seconds. Time of the oldest event that waits for it. */
      readonly oldestWaitingTimestamp?: number;
      /** gone: it answered 410. failing: all requests of 5 days failed. Absent: a person or a call disabled it. */
      readonly disabledReason?: string;
      /** `whsec_` and base64. It signs the requests. Only this answer shows it. */
      readonly secret: string;
    };
  };
  readonly getEndpoint: {
    readonly answer: {
      readonly endpointId: string;
      /** Unique in the account. */
      readonly name: string;
      /** An https URL that leads to an address of the public internet. */
      readonly url: string;
      /** Types of events, prefixes such as `message.*`, or `*` for all. */
      readonly events: readonly string[];
      /** Largest number of events in a request. 1: one request for each event. */
      readonly batchSize: number;
      /** false: no events are sent to it. */
      readonly enabled: boolean;
      /** Unix seconds. When it was created. */
      readonly createdTimestamp: number;
      /** Unix seconds. When a request to it last succeeded. */
      readonly lastSuccessTimestamp?: number;
      /** Unix seconds. When a request to it last failed. */
      readonly lastFailureTimestamp?: number;
      /** Unix seconds. Time of the oldest event that waits for it. */
      readonly oldestWaitingTimestamp?: number;
      /** gone: it answered 410. failing: all requests of 5 days failed. Absent: a person or a call disabled it. */
      readonly disabledReason?: string;
    };
  };
  readonly changeEndpoint: {
    readonly body: {
      /** Unique in the account. */
      readonly name?: string;
      /** An https URL that leads to an address of the public internet. */
      readonly url?: string;
      /** Types of events, prefixes such as `message.*`, or `*` for all. */
      readonly events?: readonly string[];
      /** Largest number of events in a request. 1: one request for each event. */
      readonly batchSize?: number;
      /** false: no events are sent to it. */
      readonly enabled?: boolean;
    };
    readonly answer: {
      readonly endpointId: string;
      /** Unique in the account. */
      readonly name: string;
      /** An https URL that leads to an address of the public internet. */
      readonly url: string;
      /** Types of events, prefixes such as `message.*`, or `*` for all. */
      readonly events: readonly string[];
      /** Largest number of events in a request. 1: one request for each event. */
      readonly batchSize: number;
      /** false: no events are sent to it. */
      readonly enabled: boolean;
      /** Unix seconds. When it was created. */
      readonly createdTimestamp: number;
      /** Unix seconds. When a request to it last succeeded. */
      readonly lastSuccessTimestamp?: number;
      /** Unix seconds. When a request to it last failed. */
      readonly lastFailureTimestamp?: number;
      /** Unix seconds. Time of the oldest event that waits for it. */
      readonly oldestWaitingTimestamp?: number;
      /** gone: it answered 410. failing: all requests of 5 days failed. Absent: a person or a call disabled it. */
      readonly disabledReason?: string;
    };
  };
  readonly deleteEndpoint: {
    readonly answer: {
      readonly endpointId: string;
      readonly deleted: true;
    };
  };
  readonly listEndpointAttempts: {
    readonly query: {
      readonly after?: string;
      readonly count?: number;
    };
    readonly answer: {
      /** Newest first. */
      readonly attempts: readonly {
        readonly attemptId: string;
        /** The events in the request. */
        readonly eventIds: readonly string[];
        /** Unix seconds. When it began. */
        readonly startedTimestamp: number;
        readonly durationMs: number;
        /** Absent: there was no answer. */
        readonly httpStatus?: number;
        /** Why it failed. Absent: it succeeded. */
        readonly errorMessage?: string;
        /** Unix seconds. Time of the next attempt. */
        readonly nextAttemptTimestamp?: number;
      }[];
      /** The `after` of the next call. An empty page returns the same cursor. */
      readonly nextCursor: string;
    };
  };
  readonly renewEndpointSecret: {
    readonly body: {
      /** `whsec_` and base64 of 24 to 64 bytes. Absent: a random secret is created. */
      readonly secret?: string;
    };
    readonly answer: {
      /** `whsec_` and base64. It signs the requests. Only this answer shows it. */
      readonly secret: string;
    };
  };
  readonly testEndpoint: {
    readonly answer: {
      readonly delivered: boolean;
      /** Absent: there was no answer. */
      readonly httpStatus?: number;
      readonly durationMs: number;
      /** Why it failed. Absent: it succeeded. */
      readonly errorMessage?: string;
    };
  };
  readonly replayEvents: {
    readonly body: {
      readonly eventIds?: readonly string[];
      /** Unix seconds. Start of the period. */
      readonly from?: number;
      /** Unix seconds. End of the period, not included. */
      readonly to?: number;
    };
    readonly answer: {
      /** How many events are sent again. */
      readonly replayedCount: number;
    };
  };
  readonly getBalance: {
    readonly answer: {
      readonly balance: string;
      readonly currency: "IRR";
      /** Present if the account has no limit. */
      readonly unlimited?: true;
    };
  };
  readonly issueToken: {
    readonly body: {
      /** User name. */
      readonly userName: string;
      /** Password. */
      readonly password: string;
      /** Domain of the account. */
      readonly domain: string;
    };
    readonly answer: {
      /** Send it as `Authorization: Bearer <accessToken>`. */
      readonly accessToken: string;
      readonly tokenType: "Bearer";
      /** Lifetime in seconds. */
      readonly expiresIn: number;
    };
  };
  readonly isLive: {
    readonly answer: {
      readonly status: "ok";
      readonly checks?: Readonly<Record<string, boolean>>;
    };
  };
  readonly isReady: {
    readonly answer: {
      readonly status: "ok";
      readonly checks?: Readonly<Record<string, boolean>>;
    };
  };
};
