// Parts of the console that are loaded when they are first shown, or a little before.
import { type ComponentType, type FunctionComponent, lazy, useState } from "react";
import { callApi } from "../api/client.ts";
import { isLost, untilReached } from "../api/connection.ts";

export type Later<Props> = FunctionComponent<Props> & {
  /**
   * Loads it ahead, if the gateway is there. Where that fails, it is loaded again when it is shown:
   * not every browser tries what has failed once more before the page is reloaded.
   */
  readonly load: () => void;
};

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): Later<Props> {
  let there: ComponentType<Props> | undefined;
  let isOnItsWay = false;
  const Lazy = lazy(async () => ({ default: await loadOrReload(load) }));
  // React shows the part of `lazy` at the earliest 300 ms after what stands in for it, even if its
  // code is there.
  function Part(props: Props) {
    const [Shown] = useState(() => there ?? Lazy);
    return <Shown {...props} />;
  }
  return Object.assign(Part, {
    load: () => {
      if (there !== undefined || isOnItsWay || isLost()) return;
      isOnItsWay = true;
      void load().then(
        (part) => (there = part),
        () => (isOnItsWay = false),
      );
    },
  });
}

async function loadOrReload<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    void reloadForPart();
    throw error;
  }
}

// Handles a part of the console that could not be loaded. After an upgrade the parts of an old page
// are gone, and while the gateway is away no part can be loaded. The page is then reloaded, but
// never while the gateway is away: the browser would show its own error page and stay there.

const reloadedKey = "hodhod.reloaded";
/** Of the script that this is part of: each build has another name. */
const build = import.meta.url;

async function reloadForPart(): Promise<void> {
  // Any answer, a refusal too, tells that the gateway is there.
  await callApi("GET /session").catch(() => undefined);
  const wasLost = await untilReached();
  if (!wasLost) {
    // Once for each build, so that a part that is really missing does not reload for ever.
    if (sessionStorage.getItem(reloadedKey) === build) return;
    sessionStorage.setItem(reloadedKey, build);
  }
  window.location.reload();
}
