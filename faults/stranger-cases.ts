// Cases in which strangers, from a process and addresses of their own, send as much as they can of
// what the HTTP side must hold: requests, bodies, heads, guessed passwords. While they guess, users
// log in, by auth/token and by the URL credentials, from an address from which they logged in before
// a restart of the gateway.
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { runScript } from "../bench/processes.ts";
import { besideGoodCaller, type FaultCase, longestAnswerMs, timed, underLoad } from "./case.ts";
import { type AcceptedBody, probeRecipient, senderLine } from "./load.ts";
import { holdsWithin, numberFrom } from "../bench/look.ts";
import type { AttackName } from "./strangers.ts";
import { callerDomain, type World } from "./world.ts";

const attackMs = 10_000;
const longAttackMs = 40_000;
const fewestCalls = 20;
/**
 * Each logs in once: what was found right is remembered for a minute and proves nothing of the
 * checks.
 */
const users = Array.from({ length: 12 }, (_, index) => ({
  username: `user-${index}`,
  password: `right-password-${index}`,
}));
const ownAddress = "127.0.2.1";
const pauseMs = 300;
/** Longer than anybody should wait, so that it is known how long it takes. */
const answerMs = 20_000;
const savingMs = 30_000;

function stranger(name: AttackName, title: string): FaultCase {
  return {
    name,
    title: `${title}, resend`,
    needsQuiet: true,
    run: (context) =>
      underLoad(context, { policy: "resend", account: { users } }, async (world) => {
        const isGuessing = name.startsWith("guess");
        if (isGuessing) await becomeKnown(world);
        const strangers = runScript("../faults/strangers.ts", [String(world.node().port), name]);
        try {
          await strangers.line(/^begun$/);
          const attacked = delay(context.full ? longAttackMs : attackMs);
          const calls = async (): Promise<void> => {
            if (isGuessing) await logInAll(world);
            await attacked;
            await holdsWithin(answerMs, () => world.load.latencies.length >= fewestCalls);
          };
          await besideGoodCaller(world, calls());
          return { note: `connections of strangers were answered ${await strangers.ask("over")}` };
        } finally {
          await strangers.stop("SIGKILL");
        }
      }),
  };
}

/** Logs every user in, and starts the gateway anew when it has written down from where. */
async function becomeKnown(world: World): Promise<void> {
  for (const index of users.keys()) {
    const { status } = await logIn(world, index, true);
    if (status !== 200) throw new Error(`a user was answered ${status} before the attack`);
  }
  const areSaved = async () => (await numberFrom(world.db, "select count(*) from login_origin")) >= users.length;
  if (!(await holdsWithin(savingMs, areSaved)))
    throw new Error("the gateway does not write down from where users logged in");
  await world.terminate();
  await world.node().start();
  await world.load.accepts(1);
}

/** Each user once, by the two ways in turn. */
async function logInAll(world: World): Promise<void> {
  let slowest = 0;
  for (const index of users.keys()) {
    const byToken = index % 2 === 0;
    let answer = { status: 0, body: "" };
    const ms = Math.round(await timed(async () => (answer = await logIn(world, index, byToken))));
    if (answer.status === 200 && !byToken) world.load.remember(JSON.parse(answer.body) as AcceptedBody);
    const isWell = answer.status === 200 && ms <= longestAnswerMs;
    world.check(isWell, `login ${index} was answered ${answer.status} after ${ms} ms`);
    slowest = Math.max(slowest, ms);
    await delay(pauseMs);
  }
  world.notes.push(`${users.length} logins, slowest ${slowest} ms`);
}

/** By URL credentials it sends a message. Status 0 when nobody answered in time. */
async function logIn(world: World, index: number, byToken: boolean): Promise<{ status: number; body: string }> {
  const { username = "", password = "" } = users[index] ?? {};
  const domain = callerDomain;
  const body = byToken ? JSON.stringify({ userName: username, password, domain }) : "";
  const message = { senderNumber: senderLine, recipientNumber: probeRecipient(index), content: `login ${index}` };
  const query = new URLSearchParams({ username, password, domain, ...message });
  const target = byToken
    ? { method: "POST", path: "/auth/token", headers: { "content-type": "application/json" } }
    : { path: `/api/v1/messages/send/url/credentials?${query.toString()}` };
  const connection = { port: world.node().port, host: "127.0.0.1", localAddress: ownAddress, agent: false };
  try {
    const call = request({ ...connection, ...target, signal: AbortSignal.timeout(answerMs) }).end(body);
    const [response] = (await once(call, "response")) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}

export const strangerCases: readonly FaultCase[] = [
  stranger("pipelining-storm", "5 callers pipeline 2,400 calls and leave, again and again"),
  stranger("readiness-storm", "200 callers ask 50 times at once whether the service is ready"),
  stranger("unfinished-bodies", "536 callers begin bodies of 500 kB"),
  stranger("unfinished-heads", "450 callers begin heads of 2 MiB"),
  stranger("guess-one-address", "450 connections guess one user's password from one address"),
  stranger("guess-few-addresses", "450 connections guess one user's password from 9 addresses"),
  stranger("guess-fresh-addresses", "320 connections guess passwords, each from another address for another name"),
];
