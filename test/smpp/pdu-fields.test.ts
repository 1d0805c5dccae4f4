import { expect, it } from "vitest";
import { commandId } from "../../src/smpp/constants.ts";
import { layoutOf, layoutOfId } from "../../src/smpp/pdu-fields.ts";
import { commands } from "./pdu-samples.ts";

it("has a table for every command, found by name and by id", () => {
  for (const command of commands) {
    const layout = layoutOf(command);
    expect(layout.command).toBe(command);
    expect(layoutOfId(commandId[command])).toBe(layout);
    expect(layout.isResponse).toBe(command.endsWith("_resp") || command === "generic_nack");
  }
  expect(layoutOfId(0x77)).toBeUndefined();
});

it("keeps the order of SMPP 3.4 §4.4.1 for submit_sm", () => {
  expect(layoutOf("submit_sm").fields.map(({ name }) => name)).toEqual([
    "service_type",
    "source_addr_ton",
    "source_addr_npi",
    "source_addr",
    "dest_addr_ton",
    "dest_addr_npi",
    "destination_addr",
    "esm_class",
    "protocol_id",
    "priority_flag",
    "schedule_delivery_time",
    "validity_period",
    "registered_delivery",
    "replace_if_present_flag",
    "data_coding",
    "sm_default_msg_id",
    "short_message",
  ]);
});
