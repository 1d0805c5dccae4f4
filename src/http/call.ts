// One call of either API, and one of the clients' API: what it gave, and who calls.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Account } from "../directory/directory.ts";
import type { Actor } from "../store/audit.ts";
import type { AnswerLanguage } from "../texts/localize.ts";
import type { ApiContext } from "./api-context.ts";
import { type Identity, unauthenticated } from "./authenticate.ts";
import { requireJsonBody } from "./json-body.ts";
import { languageOf } from "./accept-headers.ts";
import type { GivenParameters, JsonFields } from "./read-parameters.ts";
import type { ServerParts } from "./server-parts.ts";
import { readQueryParameters } from "./request-input.ts";

export class Call {
  readonly api: ApiContext;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;

  constructor(api: ApiContext, request: FastifyRequest, reply: FastifyReply) {
    this.api = api;
    this.request = request;
    this.reply = reply;
  }

  get parts(): ServerParts {
    return this.api.parts;
  }

  get address(): string {
    return this.api.addressOf(this.request);
  }

  get language(): AnswerLanguage {
    return languageOf(this.request.headers["accept-language"]);
  }

  /** Throws 1001 if the query has too many pairs, or a text that is too long. */
  get query(): GivenParameters {
    return readQueryParameters(this.request);
  }

  /** The fields of the body, whatever the case of their names. Throws 1001 for what is no JSON object. */
  get fields(): JsonFields {
    return requireJsonBody(this.request);
  }

  /** A parameter of the path, decoded by the router. */
  path(name: string): string {
    return (this.request.params as Readonly<Record<string, string | undefined>>)[name] ?? "";
  }
}

export class ApiCall extends Call {
  /** Throws 401 where nobody was identified. */
  get identity(): Identity {
    if (this.request.identity === undefined) throw unauthenticated();
    return this.request.identity;
  }

  get account(): Account {
    return this.identity.account;
  }

  get actor(): Actor {
    return { who: this.identity.who, address: this.address };
  }
}
