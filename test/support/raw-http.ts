// Speaks HTTP by hand over a socket: what well-behaved client libraries would never send.
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Writes the pieces and reads until the server closes or a whole answer with a length is there. */
export async function speak(port: number, ...pieces: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  for (const piece of pieces) socket.write(piece);
  const answer = await readAnswer(socket);
  socket.destroy();
  return answer;
}

export function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const finish = (): void => {
      const text = received.toString();
      const [head = "", ...rest] = text.split("\r\n\r\n");
      resolve({ status: Number(head.split(" ")[1]), head, body: rest.join("\r\n\r\n") });
    };
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      // An interim answer (100 Continue) precedes the one that counts.
      if (received.toString().startsWith("HTTP/1.1 100 "))
        received = received.subarray(received.indexOf("\r\n\r\n") + 4);
      const end = received.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(received.toString())?.[1];
      if (end !== -1 && length !== undefined && received.length >= end + 4 + Number(length)) finish();
    });
    socket.on("close", finish);
  });
}
