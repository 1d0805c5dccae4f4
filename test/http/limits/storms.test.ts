import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { keys, openFrontDoor, type FrontDoor, type FrontDoorOptions } from "../../support/front-door.ts";

let door: FrontDoor | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await door?.close();
  door = undefined;
});

async function open(options: FrontDoorOptions = {}): Promise<{ door: FrontDoor; port: number }> {
  door = await openFrontDoor({}, options);
  await door.app.listen({ host: "127.0.0.1", port: 0 });
  return { door, port: (door.app.server.address() as AddressInfo).port };
}

async function dial(port: number, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** A caller of good will, from an address of its own. */
function balance(port: number, path = "/account/balance"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      { port, host: "127.0.0.1", localAddress: "127.0.0.99", path, agent: false, headers: { "x-api-key": keys.demo } },
      (answer) => {
        answer.resume();
        answer.on("end", () => resolve(answer.statusCode));
      },
    );
    call.on("error", reject);
    call.end();
  });
}

const wrongKey = "GET /account/balance HTTP/1.1\r\nHost: x\r\nX-Api-Key: wrong\r\n\r\n";

it("connections that pipeline 2,400 requests behind a slow refusal and leave cost nothing for good", async () => {
  const { door, port } = await open({ wait: () => new Promise((resolve) => setTimeout(resolve, 500)) });
  for (let index = 0; index < 5; index += 1) {
    const socket = await dial(port);
    const received = once(door.app.server, "request");
    await new Promise<void>((resolve) =>
      socket.write(wrongKey + "GET /x HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2400), () => resolve()),
    );
    await received;
    socket.destroy();
  }
  for (let index = 0; index < 20; index += 1) expect(await balance(port)).toBe(200);
  expect(await balance(port, "/health/live")).toBe(200);
});
