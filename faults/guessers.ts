// A process of callers who guess passwords as fast as they are answered: node --import tsx
// faults/guessers.ts PORT WAY CONNECTIONS SHAPE. What it prints of itself (attackers.ts) is what
// statuses it was answered.
import { connect } from "node:net";
import { createInterface } from "node:readline";

/**
 * From where and for whom: `one` and `few` for one name from as many addresses, `fresh` for another
 * name from another address each time.
 */
export type Shape = "one" | "few" | "fresh";
export type Way = "token" | "url";

const [port = "", way = "", connections = "", shape = ""] = process.argv.slice(2);
const fewAddresses = 9;
/** `known` of the case is such a user. */
const guessedName = "user-0";
const statuses: Record<string, number> = {};
let guesses = 0;
let isOver = false;

function addressFor(connection: number, guess: number): string {
  if (shape === "one") return "127.0.3.1";
  if (shape === "few") return `127.0.3.${(connection % fewAddresses) + 1}`;
  // Apart for each way, whose guessers are another process.
  const block = (way === "token" ? 16 : 128) + ((guess >> 16) & 63);
  return `127.${block}.${(guess >> 8) & 255}.${guess & 255}`;
}

function requestFor(guess: number): string {
  const name = shape === "fresh" ? `name-${way}-${guess}` : guessedName;
  const password = `guess-${way}-${guess}`;
  if (way === "url") {
    const query = `username=${name}&password=${password}&domain=caller.example`;
    return `GET /api/v1/messages/send/url/credentials?${query} HTTP/1.1\r\nhost: x\r\n\r\n`;
  }
  const body = JSON.stringify({ userName: name, password, domain: "caller.example" });
  return `POST /auth/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** One connection; when it ends, by either side, the next. */
function guessOn(connection: number): void {
  if (isOver) return;
  const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress: addressFor(connection, guesses) });
  let answer = "";
  const guess = (): void => {
    guesses += 1;
    socket.write(requestFor(guesses));
  };
  socket.setNoDelay(true);
  socket.on("connect", guess);
  socket.on("error", () => count("broken"));
  socket.on("close", () => setImmediate(guessOn, connection));
  socket.on("data", (octets) => {
    answer += octets.toString("latin1");
    const head = answer.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
    if (head < 0 || answer.length < head + 4 + length) return;
    count(answer.slice(9, 12));
    const isLast = shape === "fresh" || /^connection: close/im.test(answer);
    answer = "";
    if (isLast || isOver) socket.destroy();
    else guess();
  });
}

function count(status: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

for (let connection = 0; connection < Number(connections); connection += 1) guessOn(connection);
console.log("begun");
createInterface({ input: process.stdin }).once("line", () => {
  isOver = true;
  console.log(`over ${JSON.stringify(statuses)}`);
  process.exit(0);
});
