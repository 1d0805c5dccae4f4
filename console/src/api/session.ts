// Who is signed in. Any call that is refused for want of a session ends it here, and the pages lead
// to the sign-in page.
import { QueryCache, QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiProblem, callApi, type Endpoint, Unreachable } from "./client.ts";
import type { Bodies, Person, Session } from "./types.ts";

export const sessionKey = ["session"] as const;
export const unauthenticated = 401;
const signedInKey = "hodhod.signedIn";

const retries = 2;
const longestWaitMs = 5_000;

export function makeQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof ApiProblem && error.status === unauthenticated) client.setQueryData(sessionKey, null);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        refetchOnWindowFocus: true,
        networkMode: "always",
        retry: (failures, error) => error instanceof ApiProblem && error.status === 503 && failures < retries,
        retryDelay: (failures) => Math.min(longestWaitMs, 500 * 2 ** failures),
      },
      mutations: { networkMode: "always" },
    },
  });
  return client;
}

/**
 * The browser asks only where it may be signed in: the answer to a stranger would be an error in
 * its log.
 */
function mayBeSignedIn(): boolean {
  if (document.documentElement.dataset["sessionCookie"] === "there") return true;
  try {
    return localStorage.getItem(signedInKey) !== null;
  } catch {
    return true;
  }
}

/** Another value with each sign-in: the other tabs notice it. */
function noteSignedIn(isSignedIn: boolean): void {
  document.documentElement.dataset["sessionCookie"] = isSignedIn ? "there" : "none";
  try {
    if (isSignedIn) localStorage.setItem(signedInKey, String(Date.now()));
    else localStorage.removeItem(signedInKey);
  } catch {
    return;
  }
}

async function findSession(): Promise<Session | null> {
  if (!mayBeSignedIn()) return null;
  try {
    const session = await callApi("GET /session");
    keepOnlyOf(session.user);
    return session;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== unauthenticated) throw error;
    noteSignedIn(false);
    return null;
  }
}

/**
 * The tabs of a browser share one cookie. If another tab signs out, or signs somebody else in, this
 * tab must stop showing what the person before could see. Returns the function that ends the watch.
 */
export function followOtherTabs(client: QueryClient): () => void {
  const follow = ({ key }: StorageEvent): void => {
    if (key === signedInKey || key === null) void lookAgain(client);
  };
  window.addEventListener("storage", follow);
  return () => window.removeEventListener("storage", follow);
}

async function lookAgain(client: QueryClient): Promise<void> {
  const before = client.getQueryData<Session | null>(sessionKey);
  const now = await client.query({ queryKey: sessionKey, queryFn: findSession, staleTime: 0 }).catch(() => before);
  if (before && now && !isSamePerson(before.user, now.user)) window.location.reload();
}

function isSamePerson(one: Person, other: Person): boolean {
  return one.kind === other.kind && one.username === other.username && one.account === other.account;
}

/** `null`: nobody is signed in. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: findSession,
    staleTime: Infinity,
    retry: (_, error) => error instanceof Unreachable,
    retryDelay: 2_000,
  });
}

export type Credentials = Bodies["POST /session"];

export function useSessionActions() {
  const client = useQueryClient();
  const start = (session: Session | null): void => {
    noteSignedIn(session !== null);
    if (session !== null) keepOnlyOf(session.user);
    // An answer on its way is of the person before.
    void client.cancelQueries({ queryKey: sessionKey });
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    client.setQueryData(sessionKey, session);
  };
  return {
    /** Whether a code is needed besides. */
    signIn: async (credentials: Credentials): Promise<"signedIn" | "codeNeeded"> => {
      const answer = await callApi("POST /session", { body: credentials, changesNothing: true });
      if ("secondFactorRequired" in answer) return "codeNeeded";
      start(answer);
      return "signedIn";
    },
    /** By a link of the demo. */
    signInByTicket: async (ticket: string): Promise<void> => {
      // Of the demo alone: the API's document does not name it.
      await callApi("POST /session/ticket" as Endpoint, { body: { ticket } });
      start(await callApi("GET /session"));
    },
    signOut: async (): Promise<void> => {
      try {
        await client.cancelQueries();
        await callApi("DELETE /session");
      } catch (error) {
        void client.invalidateQueries();
        throw error;
      }
      start(null);
    },
    /** The same person, with another session or other duties. */
    renew: (session: Session): void => {
      client.setQueryData(sessionKey, session);
    },
    refresh: (): Promise<void> => client.invalidateQueries({ queryKey: sessionKey }),
  };
}

export function landingOf({ kind }: Person): string {
  return kind === "staff" ? "/overview" : "/home";
}

// Typed text that the tab keeps over a reload (send/attempt.ts). Only the person who
// typed it may see it, but several people may use a tab one after the other.

const prefix = "hodhod.";
/** Whose it is. */
const ownerKey = "hodhod.keptOf";
/** Of no person (main.tsx). */
const reloadedKey = "hodhod.reloaded";

/** Before any page reads: what another person has left is dropped. */
export function keepOnlyOf({ kind, username, account = "" }: Person): void {
  try {
    const owner = JSON.stringify([kind, account, username]);
    const before = sessionStorage.getItem(ownerKey);
    if (before !== null && before !== owner) dropAll();
    sessionStorage.setItem(ownerKey, owner);
  } catch {
    // Storage is closed to us: nothing is kept there.
    return;
  }
}

function dropAll(): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(prefix) && key !== reloadedKey) sessionStorage.removeItem(key);
}
