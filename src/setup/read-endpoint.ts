// Reads the endpoints of an account in a setup file. Where a URL leads to is judged when events are
// sent: the file may be applied on another machine than the one that sends them.
import { isEventPattern } from "../sms/event-types.ts";
import { AddressRules } from "../webhooks/address-rules.ts";
import { isEndpointName, mayWantAsMany, mostBatchSize, mostEndpoints } from "../webhooks/endpoint-keys.ts";
import { faultOfUrl, type UrlFault } from "../webhooks/endpoint-keys.ts";
import { isSecret } from "../webhooks/signing.ts";
import { type ObjectReader, textOf, ValueFault, type ValueReader, wholeNumber, yesOrNo } from "./read-values.ts";
import type { EndpointSetup } from "./setup.ts";

const anywhere = new AddressRules(["0.0.0.0/0", "::/0"]);

export function readEndpoints(account: ObjectReader): readonly EndpointSetup[] | undefined {
  const endpoints = account.objects("webhooks", readEndpoint);
  if (endpoints !== undefined && endpoints.length > mostEndpoints)
    account.fault(["webhooks"], `may have at most ${mostEndpoints} endpoints`);
  return endpoints;
}

function readEndpoint(reader: ObjectReader): EndpointSetup | undefined {
  reader.expectKeys(["name", "url", "events", "batchSize", "enabled", "secret"]);
  const name = reader.required("name", endpointName);
  const events = reader.list("events", pattern);
  const given = reader.raw("events");
  // As many as are given: the faulty ones, which are told apart, are left out of the list.
  if (Array.isArray(given) && !mayWantAsMany(given))
    reader.fault(["events"], "must be a list of 1 to 50 types of events");
  const endpoint = {
    url: reader.optional("url", endpointUrl),
    events: events && [...new Set(events)],
    batchSize: reader.optional("batchSize", wholeNumber(1, mostBatchSize)),
    enabled: reader.optional("enabled", yesOrNo),
    secret: reader.optional("secret", secretText),
  };
  return name === undefined ? undefined : { name, ...endpoint };
}

const endpointName: ValueReader<string> = (value) => {
  const text = textOf(value) ?? "";
  return isEndpointName(text)
    ? text
    : new ValueFault("must be a text of 1 to 100 characters, without blanks at its ends and control characters");
};

const urlFaults: Readonly<Record<UrlFault, string>> = {
  form: "must be a URL",
  length: "must not be longer than 2048 characters",
  scheme: "must begin with https:// (or http://, for addresses that HODHOD_WEBHOOK_ALLOW names)",
  credentials: "must not contain a user name or password",
  fragment: "must not contain a fragment (#)",
  address: "must lead to an address of the public internet",
};

const endpointUrl: ValueReader<string> = (value) => {
  const text = typeof value === "string" ? value : "";
  const fault = faultOfUrl(text, anywhere);
  return fault === undefined ? text : new ValueFault(urlFaults[fault]);
};

const pattern: ValueReader<string> = (value) => {
  const text = textOf(value) ?? "";
  return isEventPattern(text)
    ? text
    : new ValueFault("must be a type such as message.delivered, a beginning such as message.*, or *");
};

const secretText: ValueReader<string> = (value) =>
  typeof value === "string" && isSecret(value)
    ? value
    : new ValueFault("must be whsec_ and base64 of 24 to 64 bytes", "leave it out, and one is made");
