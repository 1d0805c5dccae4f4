// What the service does now, as a stream that only a visible page holds. Where no stream gets
// through, one look every few seconds.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiProblem, callApi, Unreachable } from "./client.ts";
import { reportReached } from "./connection.ts";
import type { Events } from "./endpoints.ts";
import { isSigningOut, sessionKey } from "./session.ts";

export type LiveFigures = Events["GET /live"];
export type LiveConnector = LiveFigures["connectors"][number];
export type LiveBind = LiveConnector["binds"][number];
export type LiveNode = LiveFigures["nodes"][number];
/** What needs a person. */
export type Attention = LiveFigures["attention"][number];

const path = "/console/api/live";
/** The stream brings something each second; a proxy that holds it back brings nothing. */
const silenceMs = 8_000;
const againMs = 3_000;

export interface Live {
  readonly figures: LiveFigures | undefined;
  /** Why there are none now. */
  readonly error: unknown;
}

export function useLive(): Live {
  const client = useQueryClient();
  const [live, setLive] = useState<Live>({ figures: undefined, error: undefined });
  useEffect(
    () =>
      follow(
        (figures) => setLive({ figures, error: undefined }),
        (error) => {
          // The session has ended: the pages lead to the sign-in page.
          if (error instanceof ApiProblem && error.status === 401)
            void client.invalidateQueries({ queryKey: sessionKey });
          // That the gateway is unreachable is shown for all pages (frame/lost-connection.tsx).
          if (!(error instanceof Unreachable)) setLive(({ figures }) => ({ figures, error }));
        },
      ),
    [client],
  );
  return live;
}

interface Listener {
  readonly tell: (figures: LiveFigures) => void;
  readonly fail: (error: unknown) => void;
}

/** Until the returned function is called. */
function follow(tell: Listener["tell"], fail: Listener["fail"]): () => void {
  const follower = new Follower({ tell, fail });
  const restart = (): void => follower.restart();
  document.addEventListener("visibilitychange", restart);
  // A stream on a network that is gone only falls silent.
  window.addEventListener("offline", restart);
  window.addEventListener("online", restart);
  restart();
  return () => {
    document.removeEventListener("visibilitychange", restart);
    window.removeEventListener("offline", restart);
    window.removeEventListener("online", restart);
    follower.stop();
  };
}

class Follower {
  readonly #listener: Listener;
  #source: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #mayStream = true;
  /** Raised by each restart and stop: what was begun before must not go on. */
  #turn = 0;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  restart(): void {
    this.stop();
    this.#mayStream = true;
    if (document.visibilityState !== "hidden") this.#begin(this.#turn);
  }

  stop(): void {
    this.#turn += 1;
    this.#close();
  }

  #close(): void {
    this.#source?.close();
    this.#source = undefined;
    clearTimeout(this.#timer);
  }

  #begin(turn: number): void {
    if (turn !== this.#turn) return;
    if (this.#mayStream) this.#stream(turn);
    else void this.#look(turn);
  }

  #later(turn: number): void {
    if (turn !== this.#turn) return;
    this.#close();
    this.#timer = setTimeout(() => this.#begin(turn), againMs);
  }

  #stream(turn: number): void {
    const source = new EventSource(path);
    this.#source = source;
    this.#watchSilence(turn);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      this.#watchSilence(turn);
      this.#take(data);
    };
    source.onerror = () => {
      this.#close();
      if (isSigningOut()) {
        this.#later(turn);
        return;
      }
      // Asks whether the gateway is there, and who we are: what is wrong is told by that
      // (connection.ts).
      callApi("GET /session").then(
        () => this.#later(turn),
        (error: unknown) => this.#fail(turn, error),
      );
    };
  }

  #watchSilence(turn: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#mayStream = false;
      this.#close();
      this.#begin(turn);
    }, silenceMs);
  }

  async #look(turn: number): Promise<void> {
    try {
      const text = await lookOnce();
      if (turn !== this.#turn) return;
      this.#take(text);
      this.#later(turn);
    } catch (error) {
      this.#fail(turn, error);
    }
  }

  #take(text: string): void {
    reportReached();
    // The API's document promises this shape.
    this.#listener.tell(JSON.parse(text) as LiveFigures);
  }

  #fail(turn: number, error: unknown): void {
    if (turn !== this.#turn) return;
    this.#listener.fail(error);
    this.#later(turn);
  }
}

/** A stream of one event, which any proxy lets through when it has ended. */
async function lookOnce(): Promise<string> {
  const response = await fetch(`${path}?events=1`, { credentials: "same-origin" }).catch(async (error: unknown) => {
    // Tells whether the gateway is away.
    await callApi("GET /session");
    throw error;
  });
  const data = /^data: (.*)$/m.exec(await response.text())?.[1];
  if (!response.ok || data === undefined) {
    // Throws what is wrong, in the page's language.
    await callApi("GET /session");
    throw new Error(String(response.status));
  }
  return data;
}
