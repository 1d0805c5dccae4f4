// Cases in which strangers guess passwords as fast as they are answered, from processes of their
// own. Beside them users log in, by auth/token and by the URL credentials, from an address from
// which they logged in before a restart of the gateway, and the load goes on.
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { type Attackers, startAttackers } from "./attackers.ts";
import { longestAnswerMs, requireLoopbackAddresses, watchBystander } from "./bystander.ts";
import { type CaseContext, type FaultCase, underLoad } from "./case.ts";
import type { Shape, Way } from "./guessers.ts";
import { type AcceptedBody, probeRecipient, senderLine } from "./load.ts";
import { callerDomain, type World } from "./world.ts";
import { holdsWithin, numberFrom } from "./look.ts";

interface Flood {
  readonly shape: Shape;
  readonly connections: number;
}

const logins = 12;
const ways: readonly Way[] = ["token", "url"];
/**
 * Each logs in once: what was found right is remembered for a minute and proves nothing of the
 * checks.
 */
const users = Array.from({ length: logins }, (_, index) => ({
  username: `user-${index}`,
  password: `right-password-${index}`,
}));
const ownAddress = "127.0.2.1";
const floodMs = 10_000;
const pauseMs = 300;
/** Longer than anybody should wait, so that it is known how long it takes. */
const patienceMs = 20_000;
const savingMs = 30_000;

function guessingCase(name: string, title: string, flood: Flood): FaultCase {
  const run = ({ server }: CaseContext) => ({ policy: "resend", server, users }) as const;
  return {
    name,
    title,
    isAlone: true,
    needsQuiet: true,
    run: (context) => underLoad(context, run(context), (world) => guessAt(world, flood)),
  };
}

async function guessAt(world: World, flood: Flood) {
  requireLoopbackAddresses();
  await becomeKnown(world);
  const guessers = await Promise.all(ways.map((way) => startGuessers(world, way, flood)));
  const beganAt = performance.now();
  let isOver = false;
  const loggingIn = logInAll(world).finally(async () => {
    await delay(Math.max(0, floodMs - (performance.now() - beganAt)));
    isOver = true;
  });
  const watched = await watchBystander(world, () => isOver);
  const answers = await loggingIn;
  const guesses = await Promise.all(guessers.map((each) => each.stop()));
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  const late = answers.filter(({ status, ms }) => status !== 200 || ms > longestAnswerMs);
  const problems = [
    ...late
      .slice(0, 5)
      .map(({ way, status, ms }) => `a login by ${way} was answered ${status} after ${Math.round(ms)} ms`),
    ...watched.problems,
  ];
  const note = `guesses were answered ${guesses.join(" and ")}; ${answers.length} logins, slowest ${Math.round(slowest)} ms; ${watched.note}`;
  return { note, problems };
}

function startGuessers(world: World, way: Way, { shape, connections }: Flood): Promise<Attackers> {
  return startAttackers("guessers.ts", [world.node.port, way, connections / ways.length, shape]);
}

/** Logs every user in, and starts the gateway anew when it has written down from where. */
async function becomeKnown(world: World): Promise<void> {
  for (const user of users) {
    const { status } = await byToken(world, user);
    if (status !== 200) throw new Error(`a user was answered ${status} before the flood`);
  }
  const areSaved = async () => (await numberFrom(world.db, "select count(*) from login_origin")) >= users.length;
  if (!(await holdsWithin(savingMs, areSaved)))
    throw new Error("the gateway does not write down from where users logged in");
  const problems = await world.terminate();
  if (problems.length > 0) throw new Error(problems.join("; "));
  await world.node.start();
  await world.load.accepts(1);
}

interface Login {
  readonly way: Way;
  readonly status: number;
  readonly ms: number;
}

type User = (typeof users)[number];

/** Each user once, by the two ways in turn. */
async function logInAll(world: World): Promise<Login[]> {
  const answers: Login[] = [];
  for (const [index, user] of users.entries()) {
    const beganAt = performance.now();
    const { status, body } = index % 2 === 0 ? await byToken(world, user) : await byUrl(world, user, index);
    if (status === 200 && index % 2 === 1) world.load.remember(JSON.parse(body) as AcceptedBody);
    answers.push({ way: ways[index % 2] ?? "token", status, ms: performance.now() - beganAt });
    await delay(pauseMs);
  }
  return answers;
}

async function byToken(world: World, { username, password }: User) {
  const body = JSON.stringify({ userName: username, password, domain: callerDomain });
  return answerTo(world, { method: "POST", path: "/auth/token", body });
}

/** Sends a message. */
async function byUrl(world: World, { username, password }: User, index: number) {
  const query = new URLSearchParams({
    username,
    password,
    domain: callerDomain,
    senderNumber: senderLine,
    recipientNumber: probeRecipient(index),
    content: `login ${index}`,
  });
  return answerTo(world, {
    method: "GET",
    path: `/api/v1/messages/send/url/credentials?${query.toString()}`,
    body: "",
  });
}

/** Status 0 when nobody answered in time. */
async function answerTo({ node }: World, { method, path, body }: { method: string; path: string; body: string }) {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const signal = AbortSignal.timeout(patienceMs);
  const options = { port: node.port, host: "127.0.0.1", localAddress: ownAddress, agent: false, method, path, signal };
  try {
    const call = request({ ...options, ...(body !== "" && { headers }) }).end(body);
    const [response] = (await once(call, "response")) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}

export const loginCases: readonly FaultCase[] = [
  guessingCase("guess-one-address", "450 connections guess one user's password from one address", {
    shape: "one",
    connections: 450,
  }),
  guessingCase("guess-few-addresses", "450 connections guess one user's password from 9 addresses", {
    shape: "few",
    connections: 450,
  }),
  guessingCase("guess-fresh-addresses", "320 connections guess passwords, each from another address for another name", {
    shape: "fresh",
    connections: 320,
  }),
];
