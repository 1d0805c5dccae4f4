// Generated from docs/console-openapi.json by `npm run docs`: what each endpoint of the console's API takes and answers.

/** Answers in JSON, by method and path. */
export type Answers = {
  readonly "POST /session": {
    readonly user: {
      readonly kind: "staff" | "customer";
      readonly username: string;
      readonly role: "administrator" | "operator" | "sales" | "viewer" | "owner" | "sender" | "reader";
      /** Of a customer: the name of the account. */
      readonly account?: string;
      /** What the role allows; see docs/console.md. */
      readonly abilities: readonly ("see" | "network" | "accounts" | "credit" | "texts" | "cancel" | "audit" | "staff" | "setup" | "look" | "send" | "manage")[];
    };
    /** Somebody else has set the password: until it is changed, nothing else works. */
    readonly mustChangePassword?: true;
    /** The service demands a second factor: until it is set, nothing else works. */
    readonly mustSetSecondFactor?: true;
  } | {
    /** Repeat the call with `code`. There is no cookie yet. */
    readonly secondFactorRequired: true;
  };
  readonly "GET /session": {
    readonly user: {
      readonly kind: "staff" | "customer";
      readonly username: string;
      readonly role: "administrator" | "operator" | "sales" | "viewer" | "owner" | "sender" | "reader";
      /** Of a customer: the name of the account. */
      readonly account?: string;
      /** What the role allows; see docs/console.md. */
      readonly abilities: readonly ("see" | "network" | "accounts" | "credit" | "texts" | "cancel" | "audit" | "staff" | "setup" | "look" | "send" | "manage")[];
    };
    /** Somebody else has set the password: until it is changed, nothing else works. */
    readonly mustChangePassword?: true;
    /** The service demands a second factor: until it is set, nothing else works. */
    readonly mustSetSecondFactor?: true;
  };
  readonly "DELETE /session": Readonly<Record<string, never>>;
  readonly "GET /sessions": {
    readonly items: readonly {
      readonly id: string;
      /** Whether it is the one of this call. */
      readonly current: boolean;
      /** When it was signed in. */
      readonly createdAt: string;
      /** To the minute. */
      readonly lastUsedAt: string;
      readonly address: string;
      /** What the browser calls itself, up to 200 characters. */
      readonly userAgent: string;
    }[];
  };
  readonly "DELETE /sessions/{id}": Readonly<Record<string, never>>;
  readonly "GET /profile": {
    /** Whether a code is asked for at each sign-in. */
    readonly secondFactor: boolean;
    /** How many are left. */
    readonly recoveryCodes: number;
  };
  readonly "POST /profile/password": {
    readonly user: {
      readonly kind: "staff" | "customer";
      readonly username: string;
      readonly role: "administrator" | "operator" | "sales" | "viewer" | "owner" | "sender" | "reader";
      /** Of a customer: the name of the account. */
      readonly account?: string;
      /** What the role allows; see docs/console.md. */
      readonly abilities: readonly ("see" | "network" | "accounts" | "credit" | "texts" | "cancel" | "audit" | "staff" | "setup" | "look" | "send" | "manage")[];
    };
    /** Somebody else has set the password: until it is changed, nothing else works. */
    readonly mustChangePassword?: true;
    /** The service demands a second factor: until it is set, nothing else works. */
    readonly mustSetSecondFactor?: true;
  };
  readonly "POST /profile/second-factor": {
    /** Base32, to be typed. */
    readonly secret: string;
    /** otpauth://…, to be shown as a QR code. */
    readonly uri: string;
  };
  readonly "POST /profile/second-factor/confirm": {
    readonly recoveryCodes: readonly string[];
  };
  readonly "POST /profile/second-factor/remove": Readonly<Record<string, never>>;
  readonly "GET /nodes": {
    readonly items: readonly {
      readonly id: string;
      readonly host: string;
      readonly pid: number;
      /** Whether it holds links to operators. */
      readonly dispatches: boolean;
      /** When it started. */
      readonly startedAt: string;
      /** Whether its lease holds. */
      readonly alive: boolean;
      readonly configurationVersion: number;
      readonly binds: number;
      readonly boundBinds: number;
    }[];
  };
  readonly "GET /connectors": {
    readonly items: readonly {
      readonly name: string;
      readonly enabled: boolean;
      /** Its binds stay and receipts come, but nothing is submitted. */
      readonly paused: boolean;
      readonly type: "smpp";
      readonly host: string;
      readonly port: number;
      readonly systemId: string;
      readonly systemType: string;
      readonly serviceType: string;
      readonly validityPeriod: "relative" | "absolute" | "none";
      readonly bindType: "transceiver" | "transmitter-receiver";
      /** How many there shall be, over all nodes. */
      readonly binds: number;
      readonly window: number;
      readonly partsPerSecond: number;
      readonly tls: boolean | {
        /** PEM text. */
        readonly ca?: string;
        readonly verify: boolean;
      };
      readonly defaultAlphabet: "gsm7" | "latin1" | "ascii";
      readonly sourceTon: "auto" | number;
      readonly sourceNpi: "auto" | number;
      readonly destTon: number;
      readonly destNpi: number;
      /** Codes with which this SMSC says that it gets too much. */
      readonly throttledStatuses: readonly string[];
      /** Codes after which a message is tried again. */
      readonly temporaryStatuses: readonly string[];
      /** Codes that end a message. */
      readonly permanentStatuses: readonly string[];
      readonly longMessages: "udh" | "sar" | "payload";
      readonly messageIdFormat: "auto" | "decimal" | "hex";
      readonly uncertain: "resend" | "hold" | "fail";
      readonly responseTimeoutMs: number;
      readonly enquireLinkSeconds: number;
      readonly inactivitySeconds: number;
      readonly receiptDeadlineHours: number;
      readonly receiptGroup: string;
      /** The password itself is never told. */
      readonly passwordSet: boolean;
      /** `bound`: at least one bind is up. `no node`: no living node holds a bind of it. */
      readonly state: "bound" | "down" | "disabled" | "no node";
      readonly bindStates: readonly {
        readonly bind: number;
        readonly state: "bound" | "down" | "disabled";
        /** Host name. */
        readonly node?: string;
        /** Of the state. */
        readonly since?: string;
        /** Parts submitted and not answered yet. */
        readonly inFlight: number;
        /** How many there may be. */
        readonly window: number;
        /** As it was told by the system or the operator. */
        readonly lastError?: string;
        /** What the last error is. `refused`: the bind, for a reason that `lastError` names. */
        readonly lastErrorKind?: "timeout" | "closed" | "nameUnknown" | "nothingListens" | "unreachable" | "certificate" | "clientCertificate" | "notTls" | "wrongPassword" | "wrongSystemId" | "alreadyBound" | "refused" | "unbound" | "silent" | "garbled" | "other";
        /** Of the last error. */
        readonly lastErrorAt?: string;
      }[];
      /** Messages that wait and may go. */
      readonly due: number;
      readonly scheduled: number;
      /** Of the message that has been due longest. */
      readonly oldestSeconds: number;
    }[];
    /** Messages of routes whose connectors are all disabled or removed. */
    readonly unroutable?: {
      /** Messages that wait and may go. */
      readonly due: number;
      readonly scheduled: number;
      /** Of the message that has been due longest. */
      readonly oldestSeconds: number;
    };
  };
  readonly "GET /figures": {
    readonly range: "1h" | "24h" | "7d" | "30d";
    /** The beginning of the first step. */
    readonly from: string;
    /** The end of the last step. */
    readonly to: string;
    readonly stepSeconds: number;
    /** Oldest first. A step in which no node ran has no point. */
    readonly points: readonly {
      /** The beginning of the step. */
      readonly at: string;
      /** Messages accepted. */
      readonly accepted: number;
      /** Messages whose last part an operator has taken. */
      readonly sent: number;
      /** Messages reported as delivered. */
      readonly delivered: number;
      /** Messages reported as undelivered. */
      readonly undelivered: number;
      /** Messages that ended without being sent. */
      readonly unsent: number;
      /** Parts taken by operators. */
      readonly taken: number;
      /** Parts refused. */
      readonly refused: number;
      /** Parts turned away for now. */
      readonly throttled: number;
      /** Parts without an answer in time. */
      readonly unanswered: number;
      /** From a submit_sm to its answer: half of them took at most this. Absent where there was no answer. */
      readonly medianMs?: number;
      /** 95 of 100 took at most this; of several minutes the highest. Absent where there was no answer. */
      readonly slowMs?: number;
    }[];
  };
  readonly "POST /connectors/test": {
    readonly passed: boolean;
    readonly steps: readonly {
      readonly step: "connect" | "bind" | "enquire_link" | "unbind";
      readonly session: "transceiver" | "receiver" | "transmitter";
      readonly passed: boolean;
      /** How long it took. */
      readonly ms: number;
      /** What happened, in words, in the language of the call. */
      readonly text: string;
    }[];
  };
  readonly "POST /connectors/{name}/test-message": {
    /** Its life tells which connector took it. */
    readonly sentMessageId: string;
    readonly batchId: string;
    readonly parts: number;
    /** Charged to the account. */
    readonly cost: number;
  };
  readonly "POST /route-trace": {
    /** 989… */
    readonly recipientNumber: string;
    readonly operator: string;
    readonly operatorBy: "ported" | "prefix" | "unknown";
    /** The one that decided. */
    readonly prefix?: string;
    readonly operatorEnabled: boolean;
    readonly account?: string;
    /** One for each line: of the account, or the given one, or of the service. */
    readonly ways: readonly {
      /** Its number; absent where the given sender is no line of the account. */
      readonly line?: string;
      readonly kind?: string;
      /** What a call would be answered. */
      readonly refused?: {
        readonly errorCode: number;
        readonly errorMessage: string;
      };
      /** All routes, in their order. `used` and `off` (all connectors disabled): the first that matches. */
      readonly routes: readonly {
        readonly position: number;
        readonly operator: string;
        readonly line: string;
        readonly verdict: "operator" | "line" | "used" | "off" | "later";
      }[];
      /** Those of the route that is used. None is `used`: the message would wait. */
      readonly connectors: readonly {
        readonly name: string;
        readonly verdict: "used" | "standby" | "alphabet" | "disabled" | "paused" | "down";
      }[];
      /** The one that would take the message now. */
      readonly connector?: string;
      readonly language?: string;
      readonly encoding?: string;
      readonly parts?: number;
      /** Of one part; of the given text, with an account. */
      readonly price?: number;
      /** Of all parts. */
      readonly cost?: number;
      /** Of one part by language, where no text is given; with an account. */
      readonly prices?: {
        /** Persian. */
        readonly fa: number;
        /** English. */
        readonly en: number;
        /** Other languages. */
        readonly other: number;
      };
    }[];
    /** How many more lines there are than the answer tells of. */
    readonly furtherLines: number;
  };
  readonly "GET /accounts": {
    readonly items: readonly {
      readonly name: string;
      /** What its users give as their organisation. */
      readonly domain: string;
      readonly tariff: string;
      /** Its credit, in rials. */
      readonly balance: number;
      /** Without a limit the balance may be below zero. */
      readonly unlimited: boolean;
      readonly lines: number;
      readonly users: number;
      readonly apiKeys: number;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /accounts/{name}": {
    readonly name: string;
    /** What its users give as their organisation. */
    readonly domain: string;
    /** Absent: its credit limits what it sends. */
    readonly credit?: "unlimited";
    readonly tariff: string;
    /** The lines that it may send from. */
    readonly lines: readonly string[];
    /** `*` or the names of methods; they bound sending in the console, too. */
    readonly permissions: readonly string[];
    /** 0: no limit. */
    readonly requestsPerSecond: number;
    /** Where its programs may call from; empty: everywhere. */
    readonly allowedIps?: readonly string[];
    /** Numbers that it must not send to. */
    readonly blockedRecipients?: readonly string[];
    /** For staff, and for customers who may manage them, as the three lists before. */
    readonly users?: readonly {
      readonly username: string;
      readonly role: "owner" | "sender" | "reader";
      readonly passwordSet: boolean;
    }[];
    readonly apiKeys?: readonly {
      readonly name: string;
      /** Instead of those of the account. */
      readonly allowedIps: readonly string[];
      /** From then on calls with it are 401; absent: never. */
      readonly expires?: string;
    }[];
    /** Below it, staff are told; 0: never. */
    readonly lowCredit: number;
    /** So long the same text from the same sender to the same number is refused with 1207; 0: never. */
    readonly duplicateSeconds: number;
    /** Above it, 1208; 0: no limit. */
    readonly dailyMessages: number;
    /** Above it, 1208; 0: no limit. */
    readonly monthlyCost: number;
    /** Its credit, in rials. */
    readonly balance: number;
    /** Without a limit the balance may be below zero. */
    readonly unlimited: boolean;
  };
  readonly "PUT /accounts/{name}": {
    readonly name: string;
    /** What its users give as their organisation. */
    readonly domain: string;
    /** Absent: its credit limits what it sends. */
    readonly credit?: "unlimited";
    readonly tariff: string;
    /** The lines that it may send from. */
    readonly lines: readonly string[];
    /** `*` or the names of methods; they bound sending in the console, too. */
    readonly permissions: readonly string[];
    /** 0: no limit. */
    readonly requestsPerSecond: number;
    /** Where its programs may call from; empty: everywhere. */
    readonly allowedIps?: readonly string[];
    /** Numbers that it must not send to. */
    readonly blockedRecipients?: readonly string[];
    /** For staff, and for customers who may manage them, as the three lists before. */
    readonly users?: readonly {
      readonly username: string;
      readonly role: "owner" | "sender" | "reader";
      readonly passwordSet: boolean;
    }[];
    readonly apiKeys?: readonly {
      readonly name: string;
      /** Instead of those of the account. */
      readonly allowedIps: readonly string[];
      /** From then on calls with it are 401; absent: never. */
      readonly expires?: string;
    }[];
    /** Below it, staff are told; 0: never. */
    readonly lowCredit: number;
    /** So long the same text from the same sender to the same number is refused with 1207; 0: never. */
    readonly duplicateSeconds: number;
    /** Above it, 1208; 0: no limit. */
    readonly dailyMessages: number;
    /** Above it, 1208; 0: no limit. */
    readonly monthlyCost: number;
    /** Its credit, in rials. */
    readonly balance: number;
    /** Without a limit the balance may be below zero. */
    readonly unlimited: boolean;
  };
  readonly "DELETE /accounts/{name}": Readonly<Record<string, never>>;
  readonly "GET /accounts/{name}/statement": {
    readonly items: readonly {
      readonly id: string;
      /** When it was booked. */
      readonly at: string;
      /** `carried` is the sum of movements that are no longer stored. */
      readonly kind: "opening" | "credit" | "charge" | "refund" | "carried" | "void";
      /** In rials; below zero for a charge. */
      readonly amount: number;
      /** After this entry. */
      readonly balance: number;
      /** How many messages a charge paid for. */
      readonly messages?: number;
      readonly messageId?: string;
      readonly batchId?: string;
      /** Of a credit. */
      readonly reference?: string;
    }[];
    readonly nextCursor?: string;
    /** Before the first entry of the page. */
    readonly openingBalance: number;
    /** After the last entry of the page. */
    readonly closingBalance: number;
    /** Now. */
    readonly balance: number;
    readonly unlimited: boolean;
  };
  readonly "POST /accounts/{name}/credit": {
    /** False where this reference was booked before: nothing was changed. */
    readonly booked: boolean;
    /** As it was booked. */
    readonly amount: number;
    readonly reference: string;
    /** The credit now. */
    readonly balance: number;
  };
  readonly "GET /accounts/{name}/users": {
    readonly items: readonly {
      readonly username: string;
      readonly role: "owner" | "sender" | "reader";
      /** Whether they may sign in. */
      readonly enabled: boolean;
      readonly passwordSet: true;
      /** Somebody else has set the password. */
      readonly mustChangePassword: boolean;
      /** Whether a code is asked for at each sign-in. */
      readonly secondFactor: boolean;
      /** Of the newest session; absent: none in the last seven days. */
      readonly lastUsedAt?: string;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /accounts/{name}/users/{username}": {
    readonly username: string;
    readonly role: "owner" | "sender" | "reader";
    /** Whether they may sign in. */
    readonly enabled: boolean;
    readonly passwordSet: true;
    /** Somebody else has set the password. */
    readonly mustChangePassword: boolean;
    /** Whether a code is asked for at each sign-in. */
    readonly secondFactor: boolean;
    /** Of the newest session; absent: none in the last seven days. */
    readonly lastUsedAt?: string;
  };
  readonly "PUT /accounts/{name}/users/{username}": {
    readonly username: string;
    readonly role: "owner" | "sender" | "reader";
    /** Whether they may sign in. */
    readonly enabled: boolean;
    readonly passwordSet: true;
    /** Somebody else has set the password. */
    readonly mustChangePassword: boolean;
    /** Whether a code is asked for at each sign-in. */
    readonly secondFactor: boolean;
    /** Of the newest session; absent: none in the last seven days. */
    readonly lastUsedAt?: string;
  };
  readonly "DELETE /accounts/{name}/users/{username}": Readonly<Record<string, never>>;
  readonly "POST /accounts/{name}/users/{username}/reset-second-factor": Readonly<Record<string, never>>;
  readonly "GET /accounts/{name}/api-keys": {
    readonly items: readonly {
      readonly name: string;
      /** Absent: it came from a setup file. */
      readonly lastFour?: string;
      /** Empty: those of the account. */
      readonly allowedIps: readonly string[];
      /** When it was made; absent: it came from a setup file. */
      readonly createdAt?: string;
      /** To some two minutes. */
      readonly lastUsedAt?: string;
      /** From then on calls with it are 401; absent: never. */
      readonly expires?: string;
      /** Replaced by a newer one, and good until it expires. */
      readonly retired?: true;
    }[];
  };
  readonly "GET /accounts/{name}/api-keys/{key}": {
    readonly name: string;
    /** Absent: it came from a setup file. */
    readonly lastFour?: string;
    /** Empty: those of the account. */
    readonly allowedIps: readonly string[];
    /** When it was made; absent: it came from a setup file. */
    readonly createdAt?: string;
    /** To some two minutes. */
    readonly lastUsedAt?: string;
    /** From then on calls with it are 401; absent: never. */
    readonly expires?: string;
    /** Replaced by a newer one, and good until it expires. */
    readonly retired?: true;
  };
  readonly "PUT /accounts/{name}/api-keys/{key}": {
    readonly name: string;
    /** Absent: it came from a setup file. */
    readonly lastFour?: string;
    /** Empty: those of the account. */
    readonly allowedIps: readonly string[];
    /** When it was made; absent: it came from a setup file. */
    readonly createdAt?: string;
    /** To some two minutes. */
    readonly lastUsedAt?: string;
    /** From then on calls with it are 401; absent: never. */
    readonly expires?: string;
    /** Replaced by a newer one, and good until it expires. */
    readonly retired?: true;
    /** Of a new one: shown this once. */
    readonly key?: string;
  };
  readonly "DELETE /accounts/{name}/api-keys/{key}": Readonly<Record<string, never>>;
  readonly "POST /accounts/{name}/api-keys/{key}/rotate": {
    readonly name: string;
    /** Absent: it came from a setup file. */
    readonly lastFour?: string;
    /** Empty: those of the account. */
    readonly allowedIps: readonly string[];
    /** When it was made; absent: it came from a setup file. */
    readonly createdAt?: string;
    /** To some two minutes. */
    readonly lastUsedAt?: string;
    /** From then on calls with it are 401; absent: never. */
    readonly expires?: string;
    /** Replaced by a newer one, and good until it expires. */
    readonly retired?: true;
    /** Of a new one: shown this once. */
    readonly key?: string;
  };
  readonly "GET /accounts/{name}/addresses": {
    /** Addresses and CIDR blocks; empty: from everywhere. */
    readonly allowedIps: readonly string[];
    /** 989…: messages to them are refused with 1202. */
    readonly blockedRecipients: readonly string[];
  };
  readonly "PUT /accounts/{name}/addresses": {
    /** Addresses and CIDR blocks; empty: from everywhere. */
    readonly allowedIps: readonly string[];
    /** 989…: messages to them are refused with 1202. */
    readonly blockedRecipients: readonly string[];
  };
  readonly "GET /templates": {
    readonly items: readonly {
      /** What calls name as templateId. */
      readonly id: string;
      readonly account: string;
      /** With placeholders such as {code}. */
      readonly content: string;
      /** A line, `service` or `advertising`; absent: each call names its line. */
      readonly sender?: string;
      /** Only what is approved can be used for sending (else 1107). */
      readonly approved: boolean;
      /** Why it was refused. */
      readonly refused?: string;
      /** How long a message made of it may wait. */
      readonly validSeconds?: number;
      /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
      readonly purpose: "code" | "information";
      readonly state: "pending" | "approved" | "refused";
      /** Of the present text. */
      readonly askedAt: string;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "POST /templates": {
    /** What calls name as templateId. */
    readonly id: string;
    readonly account: string;
    /** With placeholders such as {code}. */
    readonly content: string;
    /** A line, `service` or `advertising`; absent: each call names its line. */
    readonly sender?: string;
    /** Only what is approved can be used for sending (else 1107). */
    readonly approved: boolean;
    /** Why it was refused. */
    readonly refused?: string;
    /** How long a message made of it may wait. */
    readonly validSeconds?: number;
    /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
    readonly purpose: "code" | "information";
  };
  readonly "GET /templates/{id}": {
    /** What calls name as templateId. */
    readonly id: string;
    readonly account: string;
    /** With placeholders such as {code}. */
    readonly content: string;
    /** A line, `service` or `advertising`; absent: each call names its line. */
    readonly sender?: string;
    /** Only what is approved can be used for sending (else 1107). */
    readonly approved: boolean;
    /** Why it was refused. */
    readonly refused?: string;
    /** How long a message made of it may wait. */
    readonly validSeconds?: number;
    /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
    readonly purpose: "code" | "information";
  };
  readonly "PUT /templates/{id}": {
    /** What calls name as templateId. */
    readonly id: string;
    readonly account: string;
    /** With placeholders such as {code}. */
    readonly content: string;
    /** A line, `service` or `advertising`; absent: each call names its line. */
    readonly sender?: string;
    /** Only what is approved can be used for sending (else 1107). */
    readonly approved: boolean;
    /** Why it was refused. */
    readonly refused?: string;
    /** How long a message made of it may wait. */
    readonly validSeconds?: number;
    /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
    readonly purpose: "code" | "information";
  };
  readonly "DELETE /templates/{id}": Readonly<Record<string, never>>;
  readonly "POST /templates/{id}/decision": {
    /** What calls name as templateId. */
    readonly id: string;
    readonly account: string;
    /** With placeholders such as {code}. */
    readonly content: string;
    /** A line, `service` or `advertising`; absent: each call names its line. */
    readonly sender?: string;
    /** Only what is approved can be used for sending (else 1107). */
    readonly approved: boolean;
    /** Why it was refused. */
    readonly refused?: string;
    /** How long a message made of it may wait. */
    readonly validSeconds?: number;
    /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
    readonly purpose: "code" | "information";
  };
  readonly "GET /staff": {
    readonly items: readonly {
      readonly username: string;
      readonly role: "administrator" | "operator" | "sales" | "viewer";
      /** Whether they may sign in. */
      readonly enabled: boolean;
      readonly passwordSet: true;
      /** Somebody else has set the password. */
      readonly mustChangePassword: boolean;
      /** Whether a code is asked for at each sign-in. */
      readonly secondFactor: boolean;
      /** Of the newest session; absent: none in the last seven days. */
      readonly lastUsedAt?: string;
      /** When they were added. */
      readonly createdAt: string;
    }[];
  };
  readonly "GET /staff/{name}": {
    readonly username: string;
    readonly role: "administrator" | "operator" | "sales" | "viewer";
    /** Whether they may sign in. */
    readonly enabled: boolean;
    readonly passwordSet: true;
    /** Somebody else has set the password. */
    readonly mustChangePassword: boolean;
    /** Whether a code is asked for at each sign-in. */
    readonly secondFactor: boolean;
    /** Of the newest session; absent: none in the last seven days. */
    readonly lastUsedAt?: string;
    /** When they were added. */
    readonly createdAt: string;
  };
  readonly "PUT /staff/{name}": {
    readonly username: string;
    readonly role: "administrator" | "operator" | "sales" | "viewer";
    /** Whether they may sign in. */
    readonly enabled: boolean;
    readonly passwordSet: true;
    /** Somebody else has set the password. */
    readonly mustChangePassword: boolean;
    /** Whether a code is asked for at each sign-in. */
    readonly secondFactor: boolean;
    /** Of the newest session; absent: none in the last seven days. */
    readonly lastUsedAt?: string;
    /** When they were added. */
    readonly createdAt: string;
  };
  readonly "DELETE /staff/{name}": Readonly<Record<string, never>>;
  readonly "POST /staff/{name}/reset-second-factor": Readonly<Record<string, never>>;
  readonly "GET /operators": {
    readonly items: readonly {
      readonly name: string;
      /** National, without the leading 0. */
      readonly prefixes: readonly string[];
      readonly enabled: boolean;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /operators/{name}": {
    readonly name: string;
    /** National, without the leading 0. */
    readonly prefixes: readonly string[];
    readonly enabled: boolean;
  };
  readonly "PUT /operators/{name}": {
    readonly name: string;
    /** National, without the leading 0. */
    readonly prefixes: readonly string[];
    readonly enabled: boolean;
  };
  readonly "DELETE /operators/{name}": Readonly<Record<string, never>>;
  readonly "GET /ported-numbers": {
    readonly items: readonly {
      /** 989… */
      readonly number: string;
      readonly operator: string;
      /** By `hodhod ported-numbers import`: PUT puts one of the setup before it, DELETE does not find it. */
      readonly isImported: boolean;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /ported-numbers/{name}": {
    readonly number: string;
    readonly operator: string;
  };
  readonly "PUT /ported-numbers/{name}": {
    readonly number: string;
    readonly operator: string;
  };
  readonly "DELETE /ported-numbers/{name}": Readonly<Record<string, never>>;
  readonly "GET /connectors/{name}": {
    readonly name: string;
    readonly enabled: boolean;
    /** Its binds stay and receipts come, but nothing is submitted. */
    readonly paused: boolean;
    readonly type: "smpp";
    readonly host: string;
    readonly port: number;
    readonly systemId: string;
    readonly systemType: string;
    readonly serviceType: string;
    readonly validityPeriod: "relative" | "absolute" | "none";
    readonly bindType: "transceiver" | "transmitter-receiver";
    /** How many there shall be, over all nodes. */
    readonly binds: number;
    readonly window: number;
    readonly partsPerSecond: number;
    readonly tls: boolean | {
      /** PEM text. */
      readonly ca?: string;
      readonly verify: boolean;
    };
    readonly defaultAlphabet: "gsm7" | "latin1" | "ascii";
    readonly sourceTon: "auto" | number;
    readonly sourceNpi: "auto" | number;
    readonly destTon: number;
    readonly destNpi: number;
    /** Codes with which this SMSC says that it gets too much. */
    readonly throttledStatuses: readonly string[];
    /** Codes after which a message is tried again. */
    readonly temporaryStatuses: readonly string[];
    /** Codes that end a message. */
    readonly permanentStatuses: readonly string[];
    readonly longMessages: "udh" | "sar" | "payload";
    readonly messageIdFormat: "auto" | "decimal" | "hex";
    readonly uncertain: "resend" | "hold" | "fail";
    readonly responseTimeoutMs: number;
    readonly enquireLinkSeconds: number;
    readonly inactivitySeconds: number;
    readonly receiptDeadlineHours: number;
    readonly receiptGroup: string;
    /** The password itself is never told. */
    readonly passwordSet: boolean;
  };
  readonly "PUT /connectors/{name}": {
    readonly name: string;
    readonly enabled: boolean;
    /** Its binds stay and receipts come, but nothing is submitted. */
    readonly paused: boolean;
    readonly type: "smpp";
    readonly host: string;
    readonly port: number;
    readonly systemId: string;
    readonly systemType: string;
    readonly serviceType: string;
    readonly validityPeriod: "relative" | "absolute" | "none";
    readonly bindType: "transceiver" | "transmitter-receiver";
    /** How many there shall be, over all nodes. */
    readonly binds: number;
    readonly window: number;
    readonly partsPerSecond: number;
    readonly tls: boolean | {
      /** PEM text. */
      readonly ca?: string;
      readonly verify: boolean;
    };
    readonly defaultAlphabet: "gsm7" | "latin1" | "ascii";
    readonly sourceTon: "auto" | number;
    readonly sourceNpi: "auto" | number;
    readonly destTon: number;
    readonly destNpi: number;
    /** Codes with which this SMSC says that it gets too much. */
    readonly throttledStatuses: readonly string[];
    /** Codes after which a message is tried again. */
    readonly temporaryStatuses: readonly string[];
    /** Codes that end a message. */
    readonly permanentStatuses: readonly string[];
    readonly longMessages: "udh" | "sar" | "payload";
    readonly messageIdFormat: "auto" | "decimal" | "hex";
    readonly uncertain: "resend" | "hold" | "fail";
    readonly responseTimeoutMs: number;
    readonly enquireLinkSeconds: number;
    readonly inactivitySeconds: number;
    readonly receiptDeadlineHours: number;
    readonly receiptGroup: string;
    /** The password itself is never told. */
    readonly passwordSet: boolean;
  };
  readonly "DELETE /connectors/{name}": Readonly<Record<string, never>>;
  readonly "GET /lines": {
    readonly items: readonly {
      readonly number: string;
      readonly kind: "dedicated" | "service" | "advertising";
      /** The account that receives for it. */
      readonly inbound?: string;
      /** Those that may bring messages for it; absent: all. */
      readonly connectors?: readonly string[];
      readonly optOut?: "honour" | "require" | "append" | "off";
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /lines/{name}": {
    readonly number: string;
    readonly kind: "dedicated" | "service" | "advertising";
    /** The account that receives for it. */
    readonly inbound?: string;
    /** Those that may bring messages for it; absent: all. */
    readonly connectors?: readonly string[];
    readonly optOut?: "honour" | "require" | "append" | "off";
  };
  readonly "PUT /lines/{name}": {
    readonly number: string;
    readonly kind: "dedicated" | "service" | "advertising";
    /** The account that receives for it. */
    readonly inbound?: string;
    /** Those that may bring messages for it; absent: all. */
    readonly connectors?: readonly string[];
    readonly optOut?: "honour" | "require" | "append" | "off";
  };
  readonly "DELETE /lines/{name}": Readonly<Record<string, never>>;
  readonly "GET /tariffs": {
    readonly items: readonly {
      readonly name: string;
      readonly prices: readonly {
        readonly operator: string;
        readonly line: string;
        readonly language: string;
        /** For one part. */
        readonly price: number;
      }[];
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /tariffs/{name}": {
    readonly name: string;
    readonly prices: readonly {
      readonly operator: string;
      readonly line: string;
      readonly language: string;
      /** For one part. */
      readonly price: number;
    }[];
  };
  readonly "PUT /tariffs/{name}": {
    readonly name: string;
    readonly prices: readonly {
      readonly operator: string;
      readonly line: string;
      readonly language: string;
      /** For one part. */
      readonly price: number;
    }[];
  };
  readonly "DELETE /tariffs/{name}": Readonly<Record<string, never>>;
  readonly "GET /routes": {
    readonly routes: readonly {
      readonly operator: string;
      readonly line: string;
      /** In order of preference. */
      readonly connectors: readonly string[];
    }[];
  };
  readonly "PUT /routes": {
    readonly routes: readonly {
      readonly operator: string;
      readonly line: string;
      /** In order of preference. */
      readonly connectors: readonly string[];
    }[];
  };
  readonly "GET /block-list-rules": {
    readonly blockLists: readonly {
      readonly name: string;
      /** Numbers, kinds of lines, or `*`. */
      readonly lines: readonly string[];
      /** Names, or `*`. */
      readonly accounts: readonly string[];
    }[];
  };
  readonly "PUT /block-list-rules": {
    readonly blockLists: readonly {
      readonly name: string;
      /** Numbers, kinds of lines, or `*`. */
      readonly lines: readonly string[];
      /** Names, or `*`. */
      readonly accounts: readonly string[];
    }[];
  };
  readonly "GET /sending-hours": {
    readonly sendingHours: readonly {
      readonly name: string;
      /** Numbers, kinds of lines, or `*`. */
      readonly lines: readonly string[];
      /** Names, or `*`. */
      readonly accounts: readonly string[];
      readonly timeZone: string;
      readonly windows: readonly {
        readonly days: readonly ("sun" | "mon" | "tue" | "wed" | "thu" | "fri" | "sat")[];
        readonly from: string;
        readonly to: string;
      }[];
      /** Dates on which no window begins. */
      readonly except: readonly string[];
    }[];
  };
  readonly "PUT /sending-hours": {
    readonly sendingHours: readonly {
      readonly name: string;
      /** Numbers, kinds of lines, or `*`. */
      readonly lines: readonly string[];
      /** Names, or `*`. */
      readonly accounts: readonly string[];
      readonly timeZone: string;
      readonly windows: readonly {
        readonly days: readonly ("sun" | "mon" | "tue" | "wed" | "thu" | "fri" | "sat")[];
        readonly from: string;
        readonly to: string;
      }[];
      /** Dates on which no window begins. */
      readonly except: readonly string[];
    }[];
  };
  readonly "GET /content-rules": {
    readonly contentRules: readonly {
      readonly name: string;
      /** Numbers, kinds of lines, or `*`. */
      readonly lines: readonly string[];
      /** Names, or `*`. */
      readonly accounts: readonly string[];
      /** Words and phrases. */
      readonly words: readonly string[];
      readonly links: "any" | "none" | "listed";
      /** That links may lead to, with links: listed. */
      readonly domains: readonly string[];
      readonly action: "refuse" | "review";
    }[];
  };
  readonly "PUT /content-rules": {
    readonly contentRules: readonly {
      readonly name: string;
      /** Numbers, kinds of lines, or `*`. */
      readonly lines: readonly string[];
      /** Names, or `*`. */
      readonly accounts: readonly string[];
      /** Words and phrases. */
      readonly words: readonly string[];
      readonly links: "any" | "none" | "listed";
      /** That links may lead to, with links: listed. */
      readonly domains: readonly string[];
      readonly action: "refuse" | "review";
    }[];
  };
  readonly "GET /inbound-rules": {
    readonly inboundRules: readonly {
      readonly line: string;
      /** Each the whole of a text. */
      readonly words?: readonly string[];
      readonly prefix?: string;
      readonly any?: true;
      readonly account: string;
      readonly reply?: string;
      /** Replies of the rule in an hour; absent: 600. */
      readonly maxPerHour?: number;
    }[];
  };
  readonly "PUT /inbound-rules": {
    readonly inboundRules: readonly {
      readonly line: string;
      /** Each the whole of a text. */
      readonly words?: readonly string[];
      readonly prefix?: string;
      readonly any?: true;
      readonly account: string;
      readonly reply?: string;
      /** Replies of the rule in an hour; absent: 600. */
      readonly maxPerHour?: number;
    }[];
  };
  readonly "GET /settings": {
    /** The lines of templates with `sender: service` or `advertising`. */
    readonly systemLines: {
      /** Number of a line. */
      readonly service?: string;
      /** Number of a line. */
      readonly advertising?: string;
    };
    readonly retentionDays: number;
    /** Of the days of reports and limits, such as Asia/Tehran. */
    readonly timeZone: string;
    readonly calendar: "jalali" | "gregorian";
    /** Absent: 30, or retentionDays where that is less. */
    readonly eventDays?: number;
    /** 0: as long as the message. */
    readonly contentDays: number;
    /** 0: as long as the message. */
    readonly codeContentHours: number;
    readonly optOutWords?: {
      /** Absent: the usual ones. */
      readonly stop?: readonly string[];
      /** The same. */
      readonly resume?: readonly string[];
    };
    readonly optOutNotice?: string;
    readonly staffSecondFactor: "optional" | "required";
  };
  readonly "PUT /settings": {
    /** The lines of templates with `sender: service` or `advertising`. */
    readonly systemLines: {
      /** Number of a line. */
      readonly service?: string;
      /** Number of a line. */
      readonly advertising?: string;
    };
    readonly retentionDays: number;
    /** Of the days of reports and limits, such as Asia/Tehran. */
    readonly timeZone: string;
    readonly calendar: "jalali" | "gregorian";
    /** Absent: 30, or retentionDays where that is less. */
    readonly eventDays?: number;
    /** 0: as long as the message. */
    readonly contentDays: number;
    /** 0: as long as the message. */
    readonly codeContentHours: number;
    readonly optOutWords?: {
      /** Absent: the usual ones. */
      readonly stop?: readonly string[];
      /** The same. */
      readonly resume?: readonly string[];
    };
    readonly optOutNotice?: string;
    readonly staffSecondFactor: "optional" | "required";
  };
  readonly "GET /setup": {
    /** YAML. */
    readonly setup: string;
  };
  readonly "POST /setup": {
    readonly dryRun: boolean;
    readonly changed: boolean;
    readonly changes: readonly {
      readonly action: "create" | "change" | "remove";
      readonly kind: string;
      readonly name: string;
      /** What differs, in words. */
      readonly details: readonly string[];
      /** Who changed it last in the console: the file undoes it. */
      readonly lastChange?: {
        readonly who: string;
        readonly at: string;
      };
    }[];
    readonly warnings: readonly {
      readonly path: string;
      readonly line?: number;
      readonly message: string;
      readonly hint?: string;
    }[];
  };
  readonly "GET /messages": {
    readonly items: readonly {
      readonly sentMessageId: string;
      readonly batchId: string;
      readonly account: string;
      /** The line. */
      readonly senderNumber: string;
      /** 989… */
      readonly recipientNumber: string;
      readonly operator: string;
      readonly parts: number;
      /** In rials. */
      readonly cost: number;
      /** 0 waiting, 1 sent to the operator, 2 delivered, 3 not delivered, 4 not sent. */
      readonly messageStatus: number;
      /** The reason of statuses 3 and 4, and of open outcomes. */
      readonly errorCode?: number;
      readonly errorMessage?: string;
      /** When the call was accepted. */
      readonly acceptedAt: string;
      /** Of a scheduled message. */
      readonly sendAt?: string;
      /** When the operator took it. */
      readonly sentAt?: string;
      /** When it reached its final status. */
      readonly finalAt?: string;
      readonly language: string;
      readonly templateId?: string;
      /** The text; for customers only. */
      readonly content?: string;
      /** The text was erased, and is empty. Said where the text is answered. */
      readonly contentErased?: true;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
    /** Set where the search stopped before its end: so far back it went. */
    readonly searchedTo?: string;
  };
  readonly "GET /messages/{id}/text": {
    readonly content: string;
    /** The text was erased, and is empty. Said where the text is answered. */
    readonly contentErased?: true;
  };
  readonly "GET /messages/{id}": {
    readonly sentMessageId: string;
    readonly batchId: string;
    readonly account: string;
    /** The line. */
    readonly senderNumber: string;
    /** 989… */
    readonly recipientNumber: string;
    readonly operator: string;
    readonly parts: number;
    /** In rials. */
    readonly cost: number;
    /** 0 waiting, 1 sent to the operator, 2 delivered, 3 not delivered, 4 not sent. */
    readonly messageStatus: number;
    /** The reason of statuses 3 and 4, and of open outcomes. */
    readonly errorCode?: number;
    readonly errorMessage?: string;
    /** When the call was accepted. */
    readonly acceptedAt: string;
    /** Of a scheduled message. */
    readonly sendAt?: string;
    /** When the operator took it. */
    readonly sentAt?: string;
    /** When it reached its final status. */
    readonly finalAt?: string;
    /** It ends if no operator has taken it by then. */
    readonly validUntil: string;
    /** The latest one that had to do with it. For staff only. */
    readonly connector?: string;
    readonly partStates: readonly {
      readonly part: number;
      /** `inFlight`: a node has it. `uncertain`: it was written and never answered, so that nobody knows. `unsent`: it will not be sent. */
      readonly state: "waiting" | "inFlight" | "uncertain" | "taken" | "delivered" | "undelivered" | "unsent";
      /** Uncertain: how often it was submitted without an answer. */
      readonly unanswered?: number;
      /** Uncertain: when it is submitted again. */
      readonly resendAt?: string;
      /** Uncertain: until when an answer or a receipt is waited for. */
      readonly heldUntil?: string;
      /** What settled an uncertain part. */
      readonly resolvedBy?: "late answer" | "receipt" | "new submission";
      /** For staff only. */
      readonly connector?: string;
      /** The operator's id. For staff only. */
      readonly smscMessageId?: string;
    }[];
    /** What happened and was not kept: the message is older than that, or there was too much of it. */
    readonly notKept: readonly ("submissions" | "answers" | "receipts")[];
    /** In order; what is still to come stands last. */
    readonly events: readonly {
      /** By the database's clock. */
      readonly at: string;
      readonly kind: "accepted" | "scheduledFor" | "claimed" | "taken" | "notTaken" | "claimLost" | "receipt" | "turnedAway" | "sent" | "ended" | "refunded" | "due" | "receiptParked" | "validityEnds";
      /** 0: the whole message. */
      readonly part?: number;
      /** Of a refund. */
      readonly amount?: number;
      /** How often the operator turned it away. */
      readonly times?: number;
      /** The name of its command_status; absent where none came. */
      readonly answer?: string;
      /** Submissions without an answer. */
      readonly unanswered?: number;
      /** It waits until a reference of its phone is free. */
      readonly heldBack?: boolean;
      /** For staff only. */
      readonly connector?: string;
      /** For staff only. */
      readonly bind?: number;
      /** From writing the submit_sm to its answer. */
      readonly answerMs?: number;
      /** When the submit_sm was written; of equal ones, the last. */
      readonly writtenAt?: string;
      /** Of several equal ones: when the first was written. */
      readonly firstAt?: string;
      /** Of a claim that a dead node held: when it was claimed. `at`: when it was taken over. */
      readonly claimedAt?: string;
      /** The answer came after it had been given up. */
      readonly late?: boolean;
      /** The receipt is not the first of its part. */
      readonly repeated?: boolean;
      /** The error code of a receipt. */
      readonly error?: string;
      /** The receipt up to the text that it repeats. For staff only. */
      readonly receiptText?: string;
      /** The host of the node. For staff only. */
      readonly node?: string;
      /** By the connector's present settings. For staff only. */
      readonly dataCoding?: number;
      /** By the connector's present settings. For staff only. */
      readonly esmClass?: number;
      /** Whether the node that holds it lives. For staff only. */
      readonly alive?: boolean;
      /** For staff only. */
      readonly smscMessageId?: string;
      /** Of a receipt. */
      readonly state?: string;
    }[];
  };
  readonly "GET /send": {
    readonly lines: readonly {
      readonly number: string;
      readonly kind: string;
    }[];
    readonly templates: readonly {
      readonly id: string;
      readonly content: string;
      readonly sender?: string;
    }[];
    /** Permissions of the account that concern sending. */
    readonly may: readonly string[];
    readonly maximumParts: number;
    /** Of one call. */
    readonly maximumRecipients: number;
  };
  readonly "POST /send": {
    readonly batchId: string;
    /** When it will be sent. */
    readonly sendAt?: string;
    /** In the order of the recipients. */
    readonly messages: readonly {
      readonly sentMessageId?: string;
      readonly senderNumber: string;
      readonly recipientNumber: string;
      readonly operator?: string;
      readonly encoding?: "gsm7" | "ucs2";
      readonly parts?: number;
      /** In rials. */
      readonly cost?: number;
      /** Why this message is not sent. */
      readonly errorCode?: number;
      readonly errorMessage?: string;
    }[];
  };
  readonly "POST /preview": {
    readonly messages: readonly {
      readonly senderNumber: string;
      readonly recipientNumber: string;
      readonly operator?: string;
      readonly encoding?: "gsm7" | "ucs2";
      readonly parts?: number;
      /** In rials. */
      readonly cost?: number;
      /** Why this message is not sent. */
      readonly errorCode?: number;
      readonly errorMessage?: string;
    }[];
    readonly accepted: number;
    readonly refused: number;
    /** Of all accepted messages. */
    readonly parts: number;
    /** Of all accepted messages. */
    readonly cost: number;
    /** What the account can spend now; absent without a limit. */
    readonly credit?: number;
  };
  readonly "GET /batches/{id}": {
    readonly batchId: string;
    readonly account: string;
    /** When the call was accepted. */
    readonly acceptedAt: string;
    /** Of a scheduled batch. */
    readonly sendAt?: string;
    readonly messages: number;
    /** Status 0. */
    readonly waiting: number;
    /** Status 1: with the operator. */
    readonly sent: number;
    /** Status 2. */
    readonly delivered: number;
    /** Status 3. */
    readonly undelivered: number;
    /** Status 4, refunded. */
    readonly unsent: number;
    readonly parts: number;
    /** What was charged. */
    readonly cost: number;
    /** What was given back of it. */
    readonly refunded: number;
  };
  readonly "POST /batches/{id}/cancel": {
    /** Ended unsent, and refunded. */
    readonly canceled: number;
    /** Canceled by an earlier call. */
    readonly canceledBefore: number;
    /** Too late: on their way to the operator. */
    readonly onTheirWay: number;
    /** Sent, or ended for another reason. */
    readonly over: number;
  };
  readonly "POST /messages/{id}/cancel": {
    /** Ended unsent, and refunded. */
    readonly canceled: number;
    /** Canceled by an earlier call. */
    readonly canceledBefore: number;
    /** Too late: on their way to the operator. */
    readonly onTheirWay: number;
    /** Sent, or ended for another reason. */
    readonly over: number;
  };
  readonly "GET /review": {
    readonly items: readonly {
      readonly sentMessageId: string;
      readonly batchId: string;
      readonly account: string;
      /** The content rule that keeps it. */
      readonly rule: string;
      /** The line. */
      readonly senderNumber: string;
      /** 989… */
      readonly recipientNumber: string;
      readonly content: string;
      /** When the call was accepted. */
      readonly acceptedAt: string;
      /** Of a scheduled message: when it goes if it is allowed before. */
      readonly sendAt?: string;
      /** It ends with 1309 if nobody has decided by then. */
      readonly validUntil: string;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "POST /review/decision": {
    /** Those that were in review and are decided now. */
    readonly messages: number;
    /** Whether there may be more of the batch or rule: call again. */
    readonly more: boolean;
  };
  readonly "GET /opt-outs": {
    readonly items: readonly {
      readonly lineNumber: string;
      /** 989… */
      readonly recipientNumber: string;
      /** message: the person wrote a stop word. api: an account asked for it, for itself alone. staff, import: the service's staff did. */
      readonly how: "message" | "api" | "staff" | "import";
      /** When it was made. */
      readonly createdAt: string;
      /** For staff: the account that an `api` entry counts for. */
      readonly account?: string;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "PUT /opt-outs/{line}/{number}": {
    readonly lineNumber: string;
    /** 989… */
    readonly recipientNumber: string;
    /** message: the person wrote a stop word. api: an account asked for it, for itself alone. staff, import: the service's staff did. */
    readonly how: "message" | "api" | "staff" | "import";
    /** When it was made. */
    readonly createdAt: string;
    /** For staff: the account that an `api` entry counts for. */
    readonly account?: string;
  };
  readonly "DELETE /opt-outs/{line}/{number}": {
    readonly removed: boolean;
  };
  readonly "GET /accounts/{name}/webhooks": {
    readonly items: readonly {
      readonly id: string;
      readonly name: string;
      /** Of the URL, with its port where that is not the usual one. */
      readonly host: string;
      /** Only for those with one of the abilities `manage`, `accounts`, `audit`. */
      readonly url?: string;
      /** Types, beginnings of types with `.*`, or `*`. */
      readonly events: readonly string[];
      /** Events of a request at most. */
      readonly batchSize: number;
      readonly enabled: boolean;
      /** gone: it answered 410. failing: 5 days of failures. Absent if somebody disabled it. */
      readonly disabledReason?: string;
      /** When it was made. */
      readonly createdAt: string;
      /** When it last took a request. */
      readonly lastSuccessAt?: string;
      /** When a request to it last failed. */
      readonly lastFailureAt?: string;
      /** When the oldest event happened that waits for it. */
      readonly oldestWaitingAt?: string;
      /** Nothing is sent to it before, because requests failed. Absent: it does not rest. */
      readonly restsUntil?: string;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "POST /accounts/{name}/webhooks": {
    readonly id: string;
    readonly name: string;
    /** Of the URL, with its port where that is not the usual one. */
    readonly host: string;
    /** Only for those with one of the abilities `manage`, `accounts`, `audit`. */
    readonly url?: string;
    /** Types, beginnings of types with `.*`, or `*`. */
    readonly events: readonly string[];
    /** Events of a request at most. */
    readonly batchSize: number;
    readonly enabled: boolean;
    /** gone: it answered 410. failing: 5 days of failures. Absent if somebody disabled it. */
    readonly disabledReason?: string;
    /** When it was made. */
    readonly createdAt: string;
    /** When it last took a request. */
    readonly lastSuccessAt?: string;
    /** When a request to it last failed. */
    readonly lastFailureAt?: string;
    /** When the oldest event happened that waits for it. */
    readonly oldestWaitingAt?: string;
    /** Nothing is sent to it before, because requests failed. Absent: it does not rest. */
    readonly restsUntil?: string;
    /** Shown this once. */
    readonly secret: string;
  };
  readonly "GET /accounts/{name}/webhooks/{id}": {
    readonly id: string;
    readonly name: string;
    /** Of the URL, with its port where that is not the usual one. */
    readonly host: string;
    /** Only for those with one of the abilities `manage`, `accounts`, `audit`. */
    readonly url?: string;
    /** Types, beginnings of types with `.*`, or `*`. */
    readonly events: readonly string[];
    /** Events of a request at most. */
    readonly batchSize: number;
    readonly enabled: boolean;
    /** gone: it answered 410. failing: 5 days of failures. Absent if somebody disabled it. */
    readonly disabledReason?: string;
    /** When it was made. */
    readonly createdAt: string;
    /** When it last took a request. */
    readonly lastSuccessAt?: string;
    /** When a request to it last failed. */
    readonly lastFailureAt?: string;
    /** When the oldest event happened that waits for it. */
    readonly oldestWaitingAt?: string;
    /** Nothing is sent to it before, because requests failed. Absent: it does not rest. */
    readonly restsUntil?: string;
  };
  readonly "PATCH /accounts/{name}/webhooks/{id}": {
    readonly id: string;
    readonly name: string;
    /** Of the URL, with its port where that is not the usual one. */
    readonly host: string;
    /** Only for those with one of the abilities `manage`, `accounts`, `audit`. */
    readonly url?: string;
    /** Types, beginnings of types with `.*`, or `*`. */
    readonly events: readonly string[];
    /** Events of a request at most. */
    readonly batchSize: number;
    readonly enabled: boolean;
    /** gone: it answered 410. failing: 5 days of failures. Absent if somebody disabled it. */
    readonly disabledReason?: string;
    /** When it was made. */
    readonly createdAt: string;
    /** When it last took a request. */
    readonly lastSuccessAt?: string;
    /** When a request to it last failed. */
    readonly lastFailureAt?: string;
    /** When the oldest event happened that waits for it. */
    readonly oldestWaitingAt?: string;
    /** Nothing is sent to it before, because requests failed. Absent: it does not rest. */
    readonly restsUntil?: string;
  };
  readonly "DELETE /accounts/{name}/webhooks/{id}": Readonly<Record<string, never>>;
  readonly "GET /accounts/{name}/webhooks/{id}/attempts": {
    readonly items: readonly {
      readonly id: string;
      readonly eventIds: readonly string[];
      /** When it began. */
      readonly startedAt: string;
      readonly durationMs: number;
      /** Absent: there was no answer. */
      readonly httpStatus?: number;
      /** Why it failed; absent: it succeeded. */
      readonly errorMessage?: string;
      /** When it is tried again. */
      readonly nextAttemptAt?: string;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "POST /accounts/{name}/webhooks/{id}/secret": {
    /** Shown this once. */
    readonly secret: string;
  };
  readonly "POST /accounts/{name}/webhooks/{id}/test": {
    readonly delivered: boolean;
    /** Absent: there was no answer. */
    readonly httpStatus?: number;
    readonly durationMs: number;
    /** Why it failed. Absent: it succeeded. */
    readonly errorMessage?: string;
  };
  readonly "POST /accounts/{name}/webhooks/{id}/replay": {
    readonly replayedCount: number;
  };
  readonly "GET /block-lists": {
    readonly items: readonly {
      readonly name: string;
      /** How many are on it. */
      readonly numbers: number;
      /** When it was last changed. */
      readonly updatedAt: string;
      /** Lines where a rule lets it count: numbers, kinds, or `*`. Absent: no rule names it. */
      readonly lines?: readonly string[];
      /** Accounts for which it counts there: names, or `*`. */
      readonly accounts?: readonly string[];
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /block-lists/{name}/numbers": {
    readonly items: readonly {
      /** 989… */
      readonly number: string;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /block-lists/{name}/numbers/{number}": {
    /** 989… */
    readonly number: string;
    readonly isListed: boolean;
  };
  readonly "PUT /block-lists/{name}/numbers/{number}": {
    /** 989… */
    readonly number: string;
    readonly isListed: boolean;
    /** false: it was so before. */
    readonly changed: boolean;
  };
  readonly "DELETE /block-lists/{name}/numbers/{number}": {
    /** 989… */
    readonly number: string;
    readonly isListed: boolean;
    /** false: it was so before. */
    readonly changed: boolean;
  };
  readonly "GET /campaigns": {
    readonly items: readonly {
      readonly id: string;
      readonly account: string;
      readonly name: string;
      readonly state: "draft" | "sending" | "paused" | "stopped" | "done";
      readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
      readonly createdBy: string;
      /** When the draft was made. */
      readonly createdAt: string;
      /** When it was started. */
      readonly startedAt?: string;
      /** When it was stopped, or its last row was accepted. */
      readonly endedAt?: string;
      readonly senderNumber?: string;
      readonly templateId?: string;
      /** The text of all messages; for customers only. */
      readonly content?: string;
      /** Names of the values of each row. */
      readonly columns: readonly string[];
      /** Whether a number gets one message only. */
      readonly skipDuplicates: boolean;
      /** Of a scheduled campaign. */
      readonly sendAt?: string;
      readonly rows: number;
      /** Rows that cannot be sent, as found when they were sent up. */
      readonly faulty: number;
      /** Of these, recipients on the account's block list. */
      readonly blocked: number;
      /** Rows with the recipient of an earlier one. */
      readonly duplicates: number;
      /** Of all rows that can be sent. */
      readonly expectedParts: number;
      /** Of all rows that can be sent, at the prices of when they were sent up. */
      readonly expectedCost: number;
      /** Rows up to this number have their outcome. */
      readonly fed: number;
      /** Rows whose message was accepted. */
      readonly accepted: number;
      /** Rows that could not be sent. */
      readonly refused: number;
      /** Duplicates that were left out. */
      readonly skipped: number;
      /** Of the accepted messages. */
      readonly parts: number;
      /** Of the accepted messages. */
      readonly cost: number;
      /** Stopped; waiting messages are being canceled. */
      readonly canceling?: true;
      /** Messages that Stop has canceled and refunded. */
      readonly canceled: number;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "POST /campaigns": {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly state: "draft" | "sending" | "paused" | "stopped" | "done";
    readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
    readonly createdBy: string;
    /** When the draft was made. */
    readonly createdAt: string;
    /** When it was started. */
    readonly startedAt?: string;
    /** When it was stopped, or its last row was accepted. */
    readonly endedAt?: string;
    readonly senderNumber?: string;
    readonly templateId?: string;
    /** The text of all messages; for customers only. */
    readonly content?: string;
    /** Names of the values of each row. */
    readonly columns: readonly string[];
    /** Whether a number gets one message only. */
    readonly skipDuplicates: boolean;
    /** Of a scheduled campaign. */
    readonly sendAt?: string;
    readonly rows: number;
    /** Rows that cannot be sent, as found when they were sent up. */
    readonly faulty: number;
    /** Of these, recipients on the account's block list. */
    readonly blocked: number;
    /** Rows with the recipient of an earlier one. */
    readonly duplicates: number;
    /** Of all rows that can be sent. */
    readonly expectedParts: number;
    /** Of all rows that can be sent, at the prices of when they were sent up. */
    readonly expectedCost: number;
    /** Rows up to this number have their outcome. */
    readonly fed: number;
    /** Rows whose message was accepted. */
    readonly accepted: number;
    /** Rows that could not be sent. */
    readonly refused: number;
    /** Duplicates that were left out. */
    readonly skipped: number;
    /** Of the accepted messages. */
    readonly parts: number;
    /** Of the accepted messages. */
    readonly cost: number;
    /** Stopped; waiting messages are being canceled. */
    readonly canceling?: true;
    /** Messages that Stop has canceled and refunded. */
    readonly canceled: number;
  };
  readonly "GET /campaigns/{id}": {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly state: "draft" | "sending" | "paused" | "stopped" | "done";
    readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
    readonly createdBy: string;
    /** When the draft was made. */
    readonly createdAt: string;
    /** When it was started. */
    readonly startedAt?: string;
    /** When it was stopped, or its last row was accepted. */
    readonly endedAt?: string;
    readonly senderNumber?: string;
    readonly templateId?: string;
    /** The text of all messages; for customers only. */
    readonly content?: string;
    /** Names of the values of each row. */
    readonly columns: readonly string[];
    /** Whether a number gets one message only. */
    readonly skipDuplicates: boolean;
    /** Of a scheduled campaign. */
    readonly sendAt?: string;
    readonly rows: number;
    /** Rows that cannot be sent, as found when they were sent up. */
    readonly faulty: number;
    /** Of these, recipients on the account's block list. */
    readonly blocked: number;
    /** Rows with the recipient of an earlier one. */
    readonly duplicates: number;
    /** Of all rows that can be sent. */
    readonly expectedParts: number;
    /** Of all rows that can be sent, at the prices of when they were sent up. */
    readonly expectedCost: number;
    /** Rows up to this number have their outcome. */
    readonly fed: number;
    /** Rows whose message was accepted. */
    readonly accepted: number;
    /** Rows that could not be sent. */
    readonly refused: number;
    /** Duplicates that were left out. */
    readonly skipped: number;
    /** Of the accepted messages. */
    readonly parts: number;
    /** Of the accepted messages. */
    readonly cost: number;
    /** Stopped; waiting messages are being canceled. */
    readonly canceling?: true;
    /** Messages that Stop has canceled and refunded. */
    readonly canceled: number;
  };
  readonly "POST /campaigns/{id}/rows": {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly state: "draft" | "sending" | "paused" | "stopped" | "done";
    readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
    readonly createdBy: string;
    /** When the draft was made. */
    readonly createdAt: string;
    /** When it was started. */
    readonly startedAt?: string;
    /** When it was stopped, or its last row was accepted. */
    readonly endedAt?: string;
    readonly senderNumber?: string;
    readonly templateId?: string;
    /** The text of all messages; for customers only. */
    readonly content?: string;
    /** Names of the values of each row. */
    readonly columns: readonly string[];
    /** Whether a number gets one message only. */
    readonly skipDuplicates: boolean;
    /** Of a scheduled campaign. */
    readonly sendAt?: string;
    readonly rows: number;
    /** Rows that cannot be sent, as found when they were sent up. */
    readonly faulty: number;
    /** Of these, recipients on the account's block list. */
    readonly blocked: number;
    /** Rows with the recipient of an earlier one. */
    readonly duplicates: number;
    /** Of all rows that can be sent. */
    readonly expectedParts: number;
    /** Of all rows that can be sent, at the prices of when they were sent up. */
    readonly expectedCost: number;
    /** Rows up to this number have their outcome. */
    readonly fed: number;
    /** Rows whose message was accepted. */
    readonly accepted: number;
    /** Rows that could not be sent. */
    readonly refused: number;
    /** Duplicates that were left out. */
    readonly skipped: number;
    /** Of the accepted messages. */
    readonly parts: number;
    /** Of the accepted messages. */
    readonly cost: number;
    /** Stopped; waiting messages are being canceled. */
    readonly canceling?: true;
    /** Messages that Stop has canceled and refunded. */
    readonly canceled: number;
  };
  readonly "GET /campaigns/{id}/rows": {
    readonly items: readonly {
      /** In the order of the file, from 1. */
      readonly number: number;
      readonly recipientNumber: string;
      /** An earlier row with the same recipient. */
      readonly duplicateOf?: number;
      readonly sentMessageId?: string;
      /** Of its message, as long as that is kept. */
      readonly messageStatus?: number;
      /** Why it is not sent, or the reason of its message's status. */
      readonly errorCode?: number;
      readonly errorMessage?: string;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
  readonly "GET /campaigns/{id}/outcomes": {
    readonly waiting: number;
    readonly sent: number;
    readonly delivered: number;
    readonly undelivered: number;
    readonly unsent: number;
    /** Given back for messages that were not sent. */
    readonly refunded: number;
  };
  readonly "POST /campaigns/{id}/start": {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly state: "draft" | "sending" | "paused" | "stopped" | "done";
    readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
    readonly createdBy: string;
    /** When the draft was made. */
    readonly createdAt: string;
    /** When it was started. */
    readonly startedAt?: string;
    /** When it was stopped, or its last row was accepted. */
    readonly endedAt?: string;
    readonly senderNumber?: string;
    readonly templateId?: string;
    /** The text of all messages; for customers only. */
    readonly content?: string;
    /** Names of the values of each row. */
    readonly columns: readonly string[];
    /** Whether a number gets one message only. */
    readonly skipDuplicates: boolean;
    /** Of a scheduled campaign. */
    readonly sendAt?: string;
    readonly rows: number;
    /** Rows that cannot be sent, as found when they were sent up. */
    readonly faulty: number;
    /** Of these, recipients on the account's block list. */
    readonly blocked: number;
    /** Rows with the recipient of an earlier one. */
    readonly duplicates: number;
    /** Of all rows that can be sent. */
    readonly expectedParts: number;
    /** Of all rows that can be sent, at the prices of when they were sent up. */
    readonly expectedCost: number;
    /** Rows up to this number have their outcome. */
    readonly fed: number;
    /** Rows whose message was accepted. */
    readonly accepted: number;
    /** Rows that could not be sent. */
    readonly refused: number;
    /** Duplicates that were left out. */
    readonly skipped: number;
    /** Of the accepted messages. */
    readonly parts: number;
    /** Of the accepted messages. */
    readonly cost: number;
    /** Stopped; waiting messages are being canceled. */
    readonly canceling?: true;
    /** Messages that Stop has canceled and refunded. */
    readonly canceled: number;
  };
  readonly "POST /campaigns/{id}/pause": {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly state: "draft" | "sending" | "paused" | "stopped" | "done";
    readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
    readonly createdBy: string;
    /** When the draft was made. */
    readonly createdAt: string;
    /** When it was started. */
    readonly startedAt?: string;
    /** When it was stopped, or its last row was accepted. */
    readonly endedAt?: string;
    readonly senderNumber?: string;
    readonly templateId?: string;
    /** The text of all messages; for customers only. */
    readonly content?: string;
    /** Names of the values of each row. */
    readonly columns: readonly string[];
    /** Whether a number gets one message only. */
    readonly skipDuplicates: boolean;
    /** Of a scheduled campaign. */
    readonly sendAt?: string;
    readonly rows: number;
    /** Rows that cannot be sent, as found when they were sent up. */
    readonly faulty: number;
    /** Of these, recipients on the account's block list. */
    readonly blocked: number;
    /** Rows with the recipient of an earlier one. */
    readonly duplicates: number;
    /** Of all rows that can be sent. */
    readonly expectedParts: number;
    /** Of all rows that can be sent, at the prices of when they were sent up. */
    readonly expectedCost: number;
    /** Rows up to this number have their outcome. */
    readonly fed: number;
    /** Rows whose message was accepted. */
    readonly accepted: number;
    /** Rows that could not be sent. */
    readonly refused: number;
    /** Duplicates that were left out. */
    readonly skipped: number;
    /** Of the accepted messages. */
    readonly parts: number;
    /** Of the accepted messages. */
    readonly cost: number;
    /** Stopped; waiting messages are being canceled. */
    readonly canceling?: true;
    /** Messages that Stop has canceled and refunded. */
    readonly canceled: number;
  };
  readonly "POST /campaigns/{id}/resume": {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly state: "draft" | "sending" | "paused" | "stopped" | "done";
    readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
    readonly createdBy: string;
    /** When the draft was made. */
    readonly createdAt: string;
    /** When it was started. */
    readonly startedAt?: string;
    /** When it was stopped, or its last row was accepted. */
    readonly endedAt?: string;
    readonly senderNumber?: string;
    readonly templateId?: string;
    /** The text of all messages; for customers only. */
    readonly content?: string;
    /** Names of the values of each row. */
    readonly columns: readonly string[];
    /** Whether a number gets one message only. */
    readonly skipDuplicates: boolean;
    /** Of a scheduled campaign. */
    readonly sendAt?: string;
    readonly rows: number;
    /** Rows that cannot be sent, as found when they were sent up. */
    readonly faulty: number;
    /** Of these, recipients on the account's block list. */
    readonly blocked: number;
    /** Rows with the recipient of an earlier one. */
    readonly duplicates: number;
    /** Of all rows that can be sent. */
    readonly expectedParts: number;
    /** Of all rows that can be sent, at the prices of when they were sent up. */
    readonly expectedCost: number;
    /** Rows up to this number have their outcome. */
    readonly fed: number;
    /** Rows whose message was accepted. */
    readonly accepted: number;
    /** Rows that could not be sent. */
    readonly refused: number;
    /** Duplicates that were left out. */
    readonly skipped: number;
    /** Of the accepted messages. */
    readonly parts: number;
    /** Of the accepted messages. */
    readonly cost: number;
    /** Stopped; waiting messages are being canceled. */
    readonly canceling?: true;
    /** Messages that Stop has canceled and refunded. */
    readonly canceled: number;
  };
  readonly "POST /campaigns/{id}/stop": {
    readonly id: string;
    readonly account: string;
    readonly name: string;
    readonly state: "draft" | "sending" | "paused" | "stopped" | "done";
    readonly pauseReason?: "person" | "credit" | "ceiling" | "permission" | "restored";
    readonly createdBy: string;
    /** When the draft was made. */
    readonly createdAt: string;
    /** When it was started. */
    readonly startedAt?: string;
    /** When it was stopped, or its last row was accepted. */
    readonly endedAt?: string;
    readonly senderNumber?: string;
    readonly templateId?: string;
    /** The text of all messages; for customers only. */
    readonly content?: string;
    /** Names of the values of each row. */
    readonly columns: readonly string[];
    /** Whether a number gets one message only. */
    readonly skipDuplicates: boolean;
    /** Of a scheduled campaign. */
    readonly sendAt?: string;
    readonly rows: number;
    /** Rows that cannot be sent, as found when they were sent up. */
    readonly faulty: number;
    /** Of these, recipients on the account's block list. */
    readonly blocked: number;
    /** Rows with the recipient of an earlier one. */
    readonly duplicates: number;
    /** Of all rows that can be sent. */
    readonly expectedParts: number;
    /** Of all rows that can be sent, at the prices of when they were sent up. */
    readonly expectedCost: number;
    /** Rows up to this number have their outcome. */
    readonly fed: number;
    /** Rows whose message was accepted. */
    readonly accepted: number;
    /** Rows that could not be sent. */
    readonly refused: number;
    /** Duplicates that were left out. */
    readonly skipped: number;
    /** Of the accepted messages. */
    readonly parts: number;
    /** Of the accepted messages. */
    readonly cost: number;
    /** Stopped; waiting messages are being canceled. */
    readonly canceling?: true;
    /** Messages that Stop has canceled and refunded. */
    readonly canceled: number;
  };
  readonly "POST /campaigns/{id}/discard": Readonly<Record<string, never>>;
  readonly "GET /received": {
    readonly items: readonly {
      readonly receivedMessageId: string;
      /** Absent where no account has the line. */
      readonly account?: string;
      /** The subscriber, 989…, or what the network gave. */
      readonly senderNumber: string;
      /** The line. */
      readonly recipientNumber: string;
      /** When it arrived. */
      readonly receivedAt: string;
      /** Whether all its parts came. */
      readonly complete: boolean;
      /** For staff only. */
      readonly connector?: string;
      /** The text; for customers only. */
      readonly content?: string;
      /** The text was erased, and is empty. Said where the text is answered. */
      readonly contentErased?: true;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
    /** Set where the search stopped before its end: so far back it went. */
    readonly searchedTo?: string;
  };
  readonly "GET /search": {
    readonly items: readonly {
      readonly kind: "message" | "batch" | "recipient" | "account" | "campaign" | "operatorId";
      /** What was found: an id, a number, the name of an account or campaign. */
      readonly name: string;
      /** The page that shows it, below /console. */
      readonly path: string;
      /** Whose it is; for staff only. */
      readonly account?: string;
      /** Of an operator's id: who took the message under it. */
      readonly connector?: string;
      /** Of an operator's id: when; of a campaign: when it was made. */
      readonly at?: string;
    }[];
  };
  readonly "GET /reports": {
    /** Messages accepted until then are counted, with what was known of them then; absent before the first round. */
    readonly asOf?: string;
    /** Whose days these are. */
    readonly timeZone: string;
    /** The first day. */
    readonly from: string;
    /** The last day. */
    readonly to: string;
    readonly by: readonly ("day" | "account" | "line" | "operator" | "status")[];
    /** Newest days first. */
    readonly items: readonly {
      /** Of the acceptance, in the time zone of the reports. */
      readonly day?: string;
      readonly account?: string;
      readonly line?: string;
      readonly operator?: string;
      /** messageStatus. What was refunded stands at 4, even if a receipt came later. */
      readonly status?: number;
      /** Messages accepted that day. */
      readonly messages: number;
      /** Of these messages. */
      readonly parts: number;
      /** What they cost. */
      readonly charged: number;
      /** What was given back since, for those that were not sent. */
      readonly refunded: number;
      /** Charged less refunded. */
      readonly rials: number;
    }[];
    readonly total: {
      /** Messages accepted that day. */
      readonly messages: number;
      /** Of these messages. */
      readonly parts: number;
      /** What they cost. */
      readonly charged: number;
      /** What was given back since, for those that were not sent. */
      readonly refunded: number;
      /** Charged less refunded. */
      readonly rials: number;
    };
  };
  readonly "GET /audit": {
    readonly items: readonly {
      readonly id: string;
      /** When. */
      readonly at: string;
      /** `staff:NAME`, `user:ACCOUNT/NAME` or `command:OSUSER@HOST`. */
      readonly who: string;
      /** Where a call came from. */
      readonly address?: string;
      /** `use`: somebody saw what is hidden, such as a text. */
      readonly action: "create" | "change" | "remove" | "use" | "signIn" | "signInFailed";
      /** Of the object, such as `staff` or `connector`. */
      readonly kind: string;
      /** Of the object. */
      readonly name: string;
      readonly account?: string;
      /** What differs, before the change. Never a secret. */
      readonly before?: unknown;
      /** What differs, after the change. Never a secret. */
      readonly after?: unknown;
    }[];
    /** Give it as `after` for the next page; absent on the last one. */
    readonly nextCursor?: string;
  };
};

export type Bodies = {
  readonly "POST /session": {
    readonly username: string;
    readonly password: string;
    /** The domain of the account; absent for staff. */
    readonly organisation?: string;
    /** Of the second factor: six digits, or a recovery code. */
    readonly code?: string;
  };
  readonly "POST /profile/password": {
    /** The present password. */
    readonly password: string;
    /** 10 to 200 characters. */
    readonly newPassword: string;
  };
  readonly "POST /profile/second-factor": {
    /** The present password. */
    readonly password: string;
  };
  readonly "POST /profile/second-factor/confirm": {
    /** Of the new secret. */
    readonly code: string;
  };
  readonly "POST /profile/second-factor/remove": {
    /** The present password. */
    readonly password: string;
  };
  readonly "POST /connectors/test": {
    /** Of the stored connector whose password is taken. */
    readonly name?: string;
    readonly type?: "smpp";
    readonly host: string;
    readonly port: number;
    readonly systemId: string;
    /** Absent: the stored one of the connector `name`, if `host`, `port` and `tls` are as stored. */
    readonly password?: string;
    readonly systemType?: string;
    readonly bindType?: "transceiver" | "transmitter-receiver";
    readonly tls?: boolean | {
      /** PEM. */
      readonly ca?: string;
      readonly verify?: boolean;
    };
  };
  readonly "POST /connectors/{name}/test-message": {
    /** Is charged. */
    readonly account: string;
    /** A line of the account. */
    readonly senderNumber: string;
    readonly recipientNumber: string;
    readonly content: string;
  };
  readonly "POST /route-trace": {
    /** In any usual form. */
    readonly recipientNumber: string;
    /** Its lines, tariff, block list and credit count; without it there are no prices. */
    readonly account?: string;
    /** Only this line. */
    readonly senderNumber?: string;
    /** The text. Without it, prices are by language. */
    readonly content?: string;
  };
  /** The object with the keys of the setup file. */
  readonly "PUT /accounts/{name}": Readonly<Record<string, unknown>>;
  readonly "POST /accounts/{name}/credit": {
    /** In rials; below zero takes credit back. */
    readonly amount: number;
    /** Such as the number of an invoice. */
    readonly reference: string;
  };
  readonly "PUT /accounts/{name}/users/{username}": {
    readonly role: "owner" | "sender" | "reader";
    readonly enabled?: boolean;
    /** 10 to 200 characters. Needed for somebody new. */
    readonly password?: string;
  };
  readonly "PUT /accounts/{name}/api-keys/{key}": {
    readonly allowedIps?: readonly string[];
    /** In the future. */
    readonly expires?: string;
  };
  readonly "POST /accounts/{name}/api-keys/{key}/rotate": {
    readonly keepHours: 0 | 1 | 24 | 168;
  };
  readonly "PUT /accounts/{name}/addresses": {
    readonly allowedIps?: readonly string[];
    readonly blockedRecipients?: readonly string[];
  };
  readonly "POST /templates": {
    readonly content: string;
    readonly sender?: string;
    readonly validSeconds?: number;
    /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
    readonly purpose?: "code" | "information";
    /** Staff name it; customers have their own, and any other is 404. */
    readonly account?: string;
    /** Only staff may give true. */
    readonly approved?: boolean;
  };
  readonly "PUT /templates/{id}": {
    readonly content: string;
    readonly sender?: string;
    readonly validSeconds?: number;
    /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
    readonly purpose?: "code" | "information";
    /** Staff name it; customers have their own, and any other is 404. */
    readonly account?: string;
    /** Only staff may give true. */
    readonly approved?: boolean;
  };
  readonly "POST /templates/{id}/decision": {
    readonly approved: boolean;
    /** Of a refusal; the customer reads it. */
    readonly reason?: string;
    /** `code`: free of opt-outs, notice and hours. `information`: judged as any text. */
    readonly purpose?: "code" | "information";
  };
  readonly "PUT /staff/{name}": {
    readonly role: "administrator" | "operator" | "sales" | "viewer";
    readonly enabled?: boolean;
    /** 10 to 200 characters. Needed for somebody new. */
    readonly password?: string;
  };
  /** The object with the keys of the setup file. */
  readonly "PUT /operators/{name}": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /ported-numbers/{name}": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /connectors/{name}": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /lines/{name}": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /tariffs/{name}": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /routes": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /block-list-rules": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /sending-hours": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /content-rules": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /inbound-rules": Readonly<Record<string, unknown>>;
  /** The object with the keys of the setup file. */
  readonly "PUT /settings": Readonly<Record<string, unknown>>;
  readonly "POST /setup": {
    /** The file: YAML or JSON. */
    readonly setup: string;
  };
  readonly "POST /send": {
    /** A line of the account; a template may name its own. */
    readonly senderNumber?: string;
    /** 1 to 100 numbers, in any usual form. */
    readonly recipientNumbers: readonly string[];
    /** The text, if there is no template. */
    readonly content?: string;
    readonly templateId?: string;
    /** Values of the template's placeholders, the same for all recipients. */
    readonly parameters?: readonly {
      readonly name: string;
      readonly value: string;
    }[];
    /** When to send, at most 366 days ahead; absent: at once. */
    readonly sendAt?: string;
  };
  readonly "POST /preview": {
    /** A line of the account; a template may name its own. */
    readonly senderNumber?: string;
    /** 1 to 100 numbers, in any usual form. */
    readonly recipientNumbers: readonly string[];
    /** The text, if there is no template. */
    readonly content?: string;
    readonly templateId?: string;
    /** Values of the template's placeholders, the same for all recipients. */
    readonly parameters?: readonly {
      readonly name: string;
      readonly value: string;
    }[];
    /** When to send, at most 366 days ahead; absent: at once. */
    readonly sendAt?: string;
  };
  readonly "POST /review/decision": {
    readonly decision: "allow" | "refuse";
    readonly sentMessageIds?: readonly string[];
    readonly batchId?: string;
    readonly rule?: string;
  };
  readonly "POST /accounts/{name}/webhooks": {
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
  readonly "PATCH /accounts/{name}/webhooks/{id}": {
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
  readonly "POST /accounts/{name}/webhooks/{id}/replay": {
    /** The first moment. */
    readonly from: string;
    /** The first moment that does not count. */
    readonly to: string;
  };
  readonly "POST /campaigns": {
    readonly name: string;
    readonly senderNumber?: string;
    readonly content?: string;
    readonly templateId?: string;
    readonly columns?: readonly string[];
    readonly skipDuplicates?: boolean;
  };
  readonly "POST /campaigns/{id}/rows": {
    readonly first: number;
    /** Each: the number of the recipient, then a text for each column (null: none). */
    readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  };
  readonly "POST /campaigns/{id}/start": {
    /** At most 366 days ahead; absent: at once. */
    readonly sendAt?: string;
  };
};

export type Queries = {
  readonly "GET /figures": {
    readonly range?: "1h" | "24h" | "7d" | "30d";
  };
  readonly "GET /accounts": {
    readonly after?: string;
    readonly count?: number;
  };
  readonly "GET /accounts/{name}/statement": {
    readonly after?: string;
    readonly count?: number;
    readonly from?: string;
    readonly to?: string;
  };
  readonly "GET /accounts/{name}/users": {
    readonly after?: string;
    readonly count?: number;
  };
  readonly "GET /templates": {
    readonly after?: string;
    readonly count?: number;
    readonly account?: string;
    readonly state?: "pending" | "approved" | "refused";
  };
  readonly "GET /operators": {
    readonly after?: string;
    readonly count?: number;
  };
  readonly "GET /ported-numbers": {
    readonly after?: string;
    readonly count?: number;
    readonly number?: string;
  };
  readonly "GET /lines": {
    readonly after?: string;
    readonly count?: number;
  };
  readonly "GET /tariffs": {
    readonly after?: string;
    readonly count?: number;
  };
  readonly "POST /setup": {
    readonly dryRun?: boolean;
  };
  readonly "GET /messages": {
    readonly after?: string;
    readonly count?: number;
    readonly account?: string;
    readonly recipient?: string;
    readonly line?: string;
    readonly status?: "0" | "1" | "2" | "3" | "4" | "open";
    readonly operator?: string;
    readonly batch?: string;
    readonly campaign?: string;
    readonly template?: string;
    readonly text?: string;
    readonly from?: string;
    readonly to?: string;
  };
  readonly "GET /messages.csv": {
    readonly account?: string;
    readonly recipient?: string;
    readonly line?: string;
    readonly status?: "0" | "1" | "2" | "3" | "4" | "open";
    readonly operator?: string;
    readonly batch?: string;
    readonly campaign?: string;
    readonly template?: string;
    readonly text?: string;
    readonly from?: string;
    readonly to?: string;
  };
  readonly "GET /review": {
    readonly after?: string;
    readonly count?: number;
    readonly account?: string;
    readonly rule?: string;
  };
  readonly "GET /opt-outs": {
    readonly after?: string;
    readonly count?: number;
    readonly line?: string;
    readonly number?: string;
  };
  readonly "GET /accounts/{name}/webhooks/{id}/attempts": {
    readonly after?: string;
    readonly count?: number;
  };
  readonly "GET /block-lists/{name}/numbers": {
    readonly after?: string;
    readonly count?: number;
    readonly number?: string;
  };
  readonly "GET /campaigns": {
    readonly after?: string;
    readonly count?: number;
    readonly account?: string;
    readonly state?: "draft" | "sending" | "paused" | "stopped" | "done";
  };
  readonly "GET /campaigns/{id}/rows": {
    readonly after?: string;
    readonly count?: number;
    readonly only?: "faulty" | "duplicate";
  };
  readonly "GET /received": {
    readonly after?: string;
    readonly count?: number;
    readonly account?: string;
    readonly unassigned?: "true";
    readonly sender?: string;
    readonly line?: string;
    readonly text?: string;
    readonly from?: string;
    readonly to?: string;
  };
  readonly "GET /received.csv": {
    readonly account?: string;
    readonly unassigned?: "true";
    readonly sender?: string;
    readonly line?: string;
    readonly text?: string;
    readonly from?: string;
    readonly to?: string;
  };
  readonly "GET /search": {
    readonly q: string;
  };
  readonly "GET /reports": {
    readonly account?: string;
    readonly from?: string;
    readonly to?: string;
    readonly by?: string;
  };
  readonly "GET /reports.csv": {
    readonly account?: string;
    readonly from?: string;
    readonly to?: string;
    readonly by?: string;
  };
  readonly "GET /audit": {
    readonly after?: string;
    readonly count?: number;
    readonly account?: string;
    readonly who?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly from?: string;
    readonly to?: string;
  };
  readonly "GET /live": {
    readonly events?: number;
  };
};

/** What streams bring. */
export type Events = {
  readonly "GET /live": {
    /** Of the look. */
    readonly at: string;
    /** A second: messages accepted, sent, delivered, undelivered and unsent; parts taken, refused, throttled and unanswered by operators. */
    readonly rates: {
      readonly accepted: number;
      readonly sent: number;
      readonly delivered: number;
      readonly undelivered: number;
      readonly unsent: number;
      readonly taken: number;
      readonly refused: number;
      readonly throttled: number;
      readonly unanswered: number;
    };
    readonly latency: {
      /** From a submit_sm to its answer: half of them took at most this. */
      readonly medianMs: number;
      /** 95 of 100 took at most this. */
      readonly slowMs: number;
    };
    readonly queue: {
      /** Messages due, as last measured. */
      readonly waiting: number;
      readonly scheduled: number;
      /** How long the oldest one-time code has been due. */
      readonly oldestCodeSeconds: number;
      /** How long the oldest other message has been due. */
      readonly oldestOtherSeconds: number;
    };
    readonly connectors: readonly {
      readonly name: string;
      readonly enabled: boolean;
      /** Its binds stay and receipts come, but nothing is submitted. */
      readonly paused: boolean;
      /** For how long no bind of it has been up; absent while one is, or while it is off. */
      readonly unboundSeconds?: number;
      readonly partsPerSecond: number;
      /** Parts, in the last five minutes. */
      readonly submitted: number;
      /** Of these, without an answer in time. */
      readonly unanswered: number;
      readonly binds: readonly {
        /** Its number. */
        readonly bind: number;
        /** Host name. */
        readonly node: string;
        readonly bound: boolean;
        /** Of the state. */
        readonly since: string;
        /** Parts submitted and not answered yet. */
        readonly inFlight: number;
        /** How many there may be. */
        readonly window: number;
        readonly partsPerSecond: number;
        /** As it was told by the system or the operator. */
        readonly lastError?: string;
        /** What the last error is. `refused`: the bind, for a reason that `lastError` names. */
        readonly lastErrorKind?: "timeout" | "closed" | "nameUnknown" | "nothingListens" | "unreachable" | "certificate" | "clientCertificate" | "notTls" | "wrongPassword" | "wrongSystemId" | "alreadyBound" | "refused" | "unbound" | "silent" | "garbled" | "other";
        /** Of the last error. */
        readonly lastErrorAt?: string;
      }[];
    }[];
    readonly nodes: readonly {
      readonly id: string;
      readonly host: string;
      readonly pid: number;
      /** Since it told its figures; it does so each second. */
      readonly silentSeconds: number;
      /** Whether its lease holds. */
      readonly lease: boolean;
      /** Since it last lost its lease, if that was within five minutes. */
      readonly leaseLostSeconds?: number;
      /** How far its clock is from the database's, if that is more than a minute. */
      readonly clockOffSeconds?: number;
      /** Messages a second. */
      readonly accepted: number;
      /** Messages a second. */
      readonly sent: number;
      readonly binds: number;
      readonly boundBinds: number;
    }[];
    /** What needs a person, the most harmful first. */
    readonly attention: readonly {
      readonly kind: "codesWait" | "messagesWait" | "connectorUnbound" | "unanswered" | "leaseLost" | "nodeSilent" | "clockOff" | "lowCredit" | "reviewWaits" | "templatesWait";
      /** Of the connector, node or account. */
      readonly name?: string;
      /** For how long; how far a clock is off. */
      readonly seconds?: number;
      readonly submitted?: number;
      readonly unanswered?: number;
      /** What the account has left. */
      readonly balance?: number;
      readonly count?: number;
      /** There may be more than `count`. */
      readonly isAtLeast?: true;
    }[];
  };
};

/** Bodies of errors, by status. */
export type Failures = {
  readonly 400: Error;
  readonly 401: Error;
  readonly 403: Error;
  readonly 404: Error;
  readonly 409: Error;
  readonly 412: {
    readonly errorCode: number;
    readonly errorMessage: string;
    /** Who has changed it meanwhile; absent where the audit does not say. */
    readonly lastChange?: {
      /** As the audit names them; absent where it was the service, for a customer. */
      readonly who?: string;
      readonly at: string;
      readonly action: "create" | "change" | "remove";
    };
  };
  readonly 413: Error;
  readonly 422: Error;
  readonly 428: Error;
  readonly 429: Error;
  readonly 500: Error;
  readonly 503: Error;
};

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
