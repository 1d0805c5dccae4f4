// The list of addresses that calls may come from, of an account and of an API key.
import { addressBlock } from "../../setup/read-value.ts";
import type { ConsoleBody } from "./console-body.ts";

export const mostAddresses = 1_000;

export function readAddresses(body: ConsoleBody): readonly string[] {
  return body.list("allowedIps", addressBlock, { wrong: "console.address", most: mostAddresses });
}
