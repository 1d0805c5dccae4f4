// One call of either API, and one of the clients' API: what it gave, and who calls.
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Operation, refusalOf } from "../credentials/abilities.ts";
import type { Account } from "../directory/directory.ts";
import type { Actor } from "../store/audit.ts";
import { ApiError, findingCatalogue } from "../texts/errors.ts";
import type { AnswerLanguage } from "../texts/localize.ts";
import type { ApiContext } from "./api-context.ts";
import { type Identity, limitRate, refuseConsoleOnly, requireAllowedAddress, unauthenticated } from "./authenticate.ts";
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

  /** Whether the caller may make this call: address (1006), permission (1005), the account's rate (429). */
  authorize(operation: Operation): Identity {
    const { identity } = this.request;
    if (identity === undefined) throw unauthenticated();
    const { allowedIps, allowedIpsOfKey = allowedIps, consoleOnly, rights, account } = identity;
    if (allowedIps.length + allowedIpsOfKey.length > 0)
      requireAllowedAddress(this.address, [allowedIpsOfKey, allowedIps]);
    if (consoleOnly) refuseConsoleOnly(identity);
    const missing = refusalOf(operation, rights);
    if (missing === "role") throw new ApiError("noPermission", { text: findingCatalogue["role.refused"] });
    if (missing !== undefined) throw new ApiError("noPermission");
    if (account.requestsPerSecond > 0) limitRate(this.api, this.reply, identity);
    return identity;
  }

  get actor(): Actor {
    return { who: this.identity.who, address: this.address };
  }
}
