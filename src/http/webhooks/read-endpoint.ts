// Reads the keys of an endpoint from the body of a call. Pure: findings are collected.
import type { FieldFinding } from "../../texts/errors.ts";
import type { EndpointChanges, GivenEndpoint } from "../../setup/change-endpoints.ts";
import type { AddressRules } from "../../webhooks/address-rules.ts";
import { faultOfEvents, isBatchSize, isEndpointName, mostBatchSize } from "../../webhooks/endpoint-keys.ts";
import { faultOfUrl } from "../../webhooks/endpoint-keys.ts";
import { isSecret } from "../../webhooks/signing.ts";
import { isAbsent, type JsonFields, readInteger } from "../read-parameters.ts";

/** Undefined where there are findings. */
export function readNewEndpoint(
  fields: JsonFields,
  rules: AddressRules,
  findings: FieldFinding[],
): GivenEndpoint | undefined {
  const { name, url, events, batchSize = 1, enabled = true } = readEndpointChanges(fields, rules, findings);
  for (const field of ["name", "url", "events"])
    if (isAbsent(fields.get(field))) findings.push({ field, messageKey: "field.required" });
  const secret = readSecret(fields, findings);
  if (name === undefined || url === undefined || events === undefined) return undefined;
  return { name, url, events, batchSize, enabled, secret };
}

/** Only what was given, and is right. */
export function readEndpointChanges(
  fields: JsonFields,
  rules: AddressRules,
  findings: FieldFinding[],
): EndpointChanges {
  const name = readName(fields, findings);
  const url = readUrl(fields, rules, findings);
  const events = readEvents(fields, findings);
  const batchSize = readBatchSize(fields, findings);
  const enabled = readEnabled(fields, findings);
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(batchSize !== undefined && { batchSize }),
    ...(enabled !== undefined && { enabled }),
  };
}

export function readSecret(fields: JsonFields, findings: FieldFinding[]): string | undefined {
  const given = fields.get("secret");
  if (isAbsent(given)) return undefined;
  if (typeof given === "string" && isSecret(given)) return given;
  findings.push({ field: "secret", messageKey: "endpoint.secret" });
  return undefined;
}

function readName(fields: JsonFields, findings: FieldFinding[]): string | undefined {
  const given = fields.get("name");
  if (isAbsent(given)) return undefined;
  if (typeof given === "string" && isEndpointName(given)) return given;
  findings.push({ field: "name", messageKey: "endpoint.name" });
  return undefined;
}

function readUrl(fields: JsonFields, rules: AddressRules, findings: FieldFinding[]): string | undefined {
  const given = fields.get("url");
  if (isAbsent(given)) return undefined;
  const fault = typeof given === "string" ? faultOfUrl(given, rules) : "form";
  if (typeof given === "string" && fault === undefined) return given;
  findings.push({ field: "url", messageKey: `url.${fault ?? "form"}` });
  return undefined;
}

function readEvents(fields: JsonFields, findings: FieldFinding[]): readonly string[] | undefined {
  const given = fields.get("events");
  if (isAbsent(given)) return undefined;
  const patterns = Array.isArray(given) ? [...new Set(given as unknown[])] : [];
  const texts = patterns.filter((pattern) => typeof pattern === "string");
  const fault = faultOfEvents(texts);
  if (fault === undefined && texts.length === patterns.length) return texts;
  findings.push(
    fault?.kind === "count"
      ? { field: "events", messageKey: "events.count", values: { maximum: fault.most } }
      : { field: "events", messageKey: "events.unknown" },
  );
  return undefined;
}

function readBatchSize(fields: JsonFields, findings: FieldFinding[]): number | undefined {
  const given = fields.get("batchsize");
  if (isAbsent(given)) return undefined;
  const size = readInteger(given);
  if (size !== undefined && isBatchSize(size)) return size;
  findings.push({ field: "batchSize", messageKey: "number.range", values: { least: 1, maximum: mostBatchSize } });
  return undefined;
}

function readEnabled(fields: JsonFields, findings: FieldFinding[]): boolean | undefined {
  const given = fields.get("enabled");
  if (isAbsent(given)) return undefined;
  if (typeof given === "boolean") return given;
  findings.push({ field: "enabled", messageKey: "field.yesOrNo" });
  return undefined;
}
