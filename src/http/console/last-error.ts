// The last error of a bind as the console tells it: what kind it is, so that pages can say it in
// their language, and the text, as an operator's engineer knows it.
import { oneOf, orAbsent, plainText, time } from "../json-schema.ts";
import { type LinkErrorKind, linkErrorKinds } from "../../connectors/connector.ts";
import { kindOfLinkError } from "../../connectors/registry.ts";
import type { Directory } from "../../directory/directory.ts";

export const lastErrorKeys = {
  lastError: orAbsent(plainText("As it was told by the system or the operator.")),
  lastErrorKind: orAbsent(
    oneOf(linkErrorKinds, "What the last error is. `refused`: the bind, for a reason that `lastError` names."),
  ),
  lastErrorAt: orAbsent(time("Of the last error.")),
};

/** Of a connector's bind. Absent without an error, and where the connector was just removed. */
export function lastErrorKindOf(
  directory: Directory,
  connector: string,
  lastError: string | null | undefined,
): { readonly lastErrorKind?: LinkErrorKind } {
  const found = directory.connectors.find(({ name }) => name === connector);
  if (found === undefined || typeof lastError !== "string") return {};
  return { lastErrorKind: kindOfLinkError(found.settings.type, lastError) };
}
