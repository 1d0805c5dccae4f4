// A hostile operator against a whole gateway on a database: receipts and subscribers' messages of
// any form, answers to submit_sm of any form. Whatever it sends is acknowledged for good (what is
// told to come again would come for ever), every answer is recorded, and the operator beside it
// never feels it.
import { commandStatus } from "../src/smpp/constants.ts";
import { encodePdu } from "../src/smpp/pdu-codec.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../src/simulator/simulated-smsc.ts";
import { startRawSmsc, type RawPeer, type RawSmsc } from "../test/smpp/raw-peer.ts";
import { keys } from "../test/support/gateway-setup.ts";
import { openGateway, type RunningGateway } from "./gateway.ts";
import { exchange, jsonCall } from "./http-exchange.ts";
import { mutateOctets } from "./mutate.ts";
import { within } from "./timeout.ts";
import { deliveredPdu, generateDelivered, type DeliveredInput } from "./receipt-target.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, Finding, type Subject, type Surroundings, type Target } from "./target.ts";
import { writeExpression, type Value } from "./value.ts";

interface OperatorInput {
  readonly [key: string]: Value;
  readonly deliveries: readonly DeliveredInput[];
  /**
   * The message_id with which a submit_sm is answered, one character an octet; none is sent for
   * "-".
   */
  readonly messageId: string;
  readonly commandStatus: number;
}

const timeoutMs = 15_000;
const goodEvery = 20;
const firstSequenceNumber = 1000;

function generateOperator(random: Random): OperatorInput {
  const messageId = random.oneOf(
    () => "-",
    () => "-",
    () => String(random.below(2 ** 31)),
    () => random.octets(random.between(0, 70)),
    () => random.octets(random.pick([64, 65, 255, 1000, 3000, 9000, 60_000])),
    () => mutateOctets(random, "550e8400-e29b-41d4-a716-446655440000", "0x1F"),
  );
  // None after which the link pauses or binds anew, as it should.
  const status = random.chance(0.8) ? 0 : random.pick([1, 8, 0x0a, 0x45, 0x64, 0x400, 0xffffffff]);
  return {
    deliveries: random.list(0, 3, () => generateDelivered(random)),
    messageId,
    commandStatus: status,
  };
}

/** The next bind; the gateway's pauses between its attempts grow to ten seconds. */
async function acceptPatiently(raw: RawSmsc): Promise<RawPeer> {
  const endsAt = performance.now() + 2 * timeoutMs;
  for (;;) {
    try {
      const peer = await raw.accept();
      peer.answer(await peer.next("bind_transceiver"));
      return peer;
    } catch (error) {
      if (performance.now() > endsAt) throw new Finding("the gateway does not bind", { cause: error });
    }
  }
}

class OperatorSubject implements Subject<OperatorInput> {
  readonly #running: RunningGateway;
  readonly #raw: RawSmsc;
  readonly #good: SimulatedSmsc;
  #peer: RawPeer;
  #inputs = 0;
  #sequenceNumber = firstSequenceNumber;
  #recorded = 0;

  static async open({ databaseServer }: Surroundings): Promise<OperatorSubject> {
    const raw = await startRawSmsc();
    const good = await startSimulatedSmsc({ memory: 1000 });
    const setup = {
      routes: [
        { operator: "*", line: "10005678", connectors: ["smsc-1"] },
        { operator: "*", line: "*", connectors: ["smsc-2"] },
      ],
    };
    const accepting = acceptPatiently(raw);
    const running = await openGateway({ databaseServer, operatorPorts: [raw.port, good.port], setup });
    return new OperatorSubject(running, raw, good, await accepting);
  }

  private constructor(running: RunningGateway, raw: RawSmsc, good: SimulatedSmsc, peer: RawPeer) {
    this.#running = running;
    this.#raw = raw;
    this.#good = good;
    this.#peer = peer;
    this.#meet(peer);
  }

  #meet(peer: RawPeer): void {
    this.#peer = peer;
    peer.socket.on("data", () => {
      for (const pdu of peer.received.splice(0)) if (pdu.command === "enquire_link") peer.answer(pdu);
    });
  }

  async check(input: OperatorInput): Promise<void> {
    this.#inputs += 1;
    if (this.#peer.socket.destroyed) this.#meet(await acceptPatiently(this.#raw));
    for (const delivery of input.deliveries) await this.#deliver(delivery);
    if (input.messageId !== "-") await this.#submit(input);
    if (this.#inputs % goodEvery === 0) await this.#demandOtherWorks();
    const [failure] = this.#running.takeFailures();
    if (failure !== undefined) throw new Finding(`a service failed: ${failure}`);
  }

  async #deliver(delivery: DeliveredInput): Promise<void> {
    this.#sequenceNumber += 1;
    const pdu = deliveredPdu(delivery, this.#sequenceNumber);
    this.#peer.socket.write(encodePdu(pdu));
    const answered = Promise.race([this.#peer.next(`${pdu.command}_resp`), this.#peer.closed]);
    const answer = await within(timeoutMs, answered, "no answer to a deliver_sm");
    demand(answer !== undefined, "the link was closed on a deliver_sm");
    demand(answer.sequence_number === this.#sequenceNumber, "the answer is to another deliver_sm");
    const [failure] = this.#running.takeFailures();
    demand(
      answer.command_status !== commandStatus.ESME_RX_T_APPN,
      `told to come again for ever: ${failure ?? "no reason"}`,
    );
  }

  /** A message goes out by the hostile link, and what it answers is written down. */
  async #submit({ messageId, commandStatus: status }: OperatorInput): Promise<void> {
    const settled = this.#running.telemetry.next(
      "submission.settled",
      ({ connector }) => connector === "smsc-1",
      timeoutMs,
    );
    settled.catch(() => undefined);
    await this.#send("10005678");
    const pdu = await within(timeoutMs, this.#peer.next("submit_sm"), "a message is not submitted");
    const { sequence_number } = pdu;
    const body = { message_id: "", command_status: status, sequence_number, tlvs: [] };
    const frame = encodePdu({ command: "submit_sm_resp", ...body });
    const longer = Buffer.concat([frame.subarray(0, 16), Buffer.from(messageId, "latin1"), Buffer.from([0])]);
    longer.writeUInt32BE(longer.length, 0);
    this.#peer.socket.write(longer);
    await within(timeoutMs, settled, "an answer of the operator is not recorded");
    this.#recorded += 1;
  }

  async #demandOtherWorks(): Promise<void> {
    const submitted = this.#good.next("submit", () => true, timeoutMs);
    submitted.catch(() => undefined);
    await this.#send("10001234");
    await within(timeoutMs, submitted, "the operator beside it gets nothing");
  }

  async #send(senderNumber: string): Promise<void> {
    const body = { senderNumber, recipientNumber: "09121234567", content: "سلام" };
    const call = jsonCall("POST", "/messages/send", [["X-Api-Key", keys.demo]], body);
    const answer = await exchange(this.#running.port, call, timeoutMs);
    demand(answer?.status === 200, `a sound call is answered ${answer?.status ?? "nothing"}`);
  }

  notes(): string {
    return `${this.#sequenceNumber - firstSequenceNumber} deliveries acknowledged, ${this.#recorded} answers recorded`;
  }

  async close(): Promise<void> {
    await this.#running.close();
    await this.#good.stop("destroy");
    await this.#raw.stop();
  }
}

export const operatorTarget: Target = defineTarget<OperatorInput>({
  from: import.meta.url,
  name: "operator",
  title: "a hostile operator at a whole gateway: receipts, subscribers' messages, answers",
  budgetMs: 60_000,
  growthMegabytes: 32,
  settleMs: 1500,
  needsDatabase: true,
  generate: generateOperator,
  open: (surroundings) => OperatorSubject.open(surroundings),
  write: writeExpression,
});
