import { expect, it } from "vitest";
import { BehaviourChoice } from "../../src/simulator/behaviour-choice.ts";
import { SubmittedMessage } from "../../src/simulator/submitted-message.ts";
import { plainSubmitSm } from "../smpp/pdu-samples.ts";

function message(address: string, text = "hello"): SubmittedMessage {
  return new SubmittedMessage({ ...plainSubmitSm, destination_addr: address, short_message: Buffer.from(text) }, "a");
}

it("goes by the last four digits, in whatever form the number comes", () => {
  const choice = new BehaviourChoice();
  for (const address of ["989121230010", "09121230010", "0010"]) {
    expect(choice.planFor(message(address))).toMatchObject({ commandStatus: 11 });
  }
  expect(choice.planFor(message("989121239999"))).toMatchObject({ commandStatus: 0 });
});

it("counts the attempts of each text for each recipient", () => {
  const choice = new BehaviourChoice();
  const statuses = [message("98910011"), message("98910011", "other"), message("98920011"), message("98910011")].map(
    (submitted) => choice.planFor(submitted).commandStatus,
  );
  expect(statuses).toEqual([0x58, 0x58, 0x58, 0]);
});
