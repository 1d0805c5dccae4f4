// What the service does now, as a stream that only a visible page holds. Where no stream gets through, one look every few seconds.
import { useEffect, useState } from "react";
import { tellReached } from "./connection.ts";
import { callApi } from "./client.ts";
import type { Session } from "./types.ts";

export interface LiveBind {
  readonly bind: number;
  /** Host name. */
  readonly node: string;
  readonly bound: boolean;
  readonly since: string;
  /** Parts without an answer yet, and the most that may be. */
  readonly inFlight: number;
  readonly window: number;
  readonly partsPerSecond: number;
  readonly lastError?: string;
  readonly lastErrorAt?: string;
}

export interface LiveConnector {
  readonly name: string;
  readonly enabled: boolean;
  readonly unboundSeconds?: number;
  readonly partsPerSecond: number;
  readonly binds: readonly LiveBind[];
}

export interface LiveNode {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly silentSeconds: number;
  readonly lease: boolean;
  readonly accepted: number;
  readonly sent: number;
  readonly binds: number;
  readonly boundBinds: number;
}

/** What needs a person. */
export interface Attention {
  readonly kind: string;
  readonly name?: string;
  readonly seconds?: number;
  readonly submitted?: number;
  readonly unanswered?: number;
  readonly balance?: number;
  readonly count?: number;
}

export interface LiveFigures {
  readonly at: string;
  /** A second. */
  readonly rates: Readonly<Record<string, number>>;
  readonly latency: { readonly medianMs: number; readonly slowMs: number };
  readonly queue: {
    readonly waiting: number;
    readonly scheduled: number;
    readonly oldestCodeSeconds: number;
    readonly oldestOtherSeconds: number;
  };
  readonly connectors: readonly LiveConnector[];
  readonly nodes: readonly LiveNode[];
  readonly attention: readonly Attention[];
}

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
  const [live, setLive] = useState<Live>({ figures: undefined, error: undefined });
  useEffect(
    () =>
      follow(
        (figures) => setLive({ figures, error: undefined }),
        (error) => setLive(({ figures }) => ({ figures, error })),
      ),
    [],
  );
  return live;
}

/** Until the returned function is called. */
function follow(tell: (figures: LiveFigures) => void, fail: (error: unknown) => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let mayStream = true;
  const close = (): void => {
    source?.close();
    source = undefined;
    clearTimeout(timer);
  };
  const take = (text: string): void => {
    tellReached();
    // The API's document promises this shape.
    tell(JSON.parse(text) as LiveFigures);
  };
  const later = (): void => {
    close();
    timer = setTimeout(() => void begin(), againMs);
  };
  const stream = (): void => {
    source = new EventSource(path);
    const onSilence = (): void => {
      mayStream = false;
      close();
      void begin();
    };
    timer = setTimeout(onSilence, silenceMs);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      clearTimeout(timer);
      timer = setTimeout(onSilence, silenceMs);
      take(data);
    };
    source.onerror = () => {
      close();
      // Asks whether the gateway is there, and who we are: what is wrong is told by that (connection.ts).
      callApi<Session>("GET", "/session").then(later, (error: unknown) => {
        fail(error);
        later();
      });
    };
  };
  const begin = async (): Promise<void> => {
    if (document.visibilityState === "hidden") return;
    if (mayStream) {
      stream();
      return;
    }
    try {
      take(await lookOnce());
    } catch (error) {
      fail(error);
    }
    later();
  };
  const onVisibility = (): void => {
    close();
    mayStream = true;
    void begin();
  };
  document.addEventListener("visibilitychange", onVisibility);
  void begin();
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    close();
  };
}

/** A stream of one event, which any proxy lets through when it has ended. */
async function lookOnce(): Promise<string> {
  const response = await fetch(`${path}?events=1`, { credentials: "same-origin" });
  const data = /^data: (.*)$/m.exec(await response.text())?.[1];
  if (!response.ok || data === undefined) {
    // Throws what is wrong, in the page's language.
    await callApi<Session>("GET", "/session");
    throw new Error(String(response.status));
  }
  return data;
}
