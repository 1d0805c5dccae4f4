// Handles a part of the console that could not be loaded. After an upgrade the parts of an old page
// are gone, and while the gateway is away no part can be loaded. The page is then reloaded, but
// never while the gateway is away: the browser would show its own error page and stay there.
import { callApi } from "./client.ts";
import { untilReached } from "./connection.ts";

const reloadedKey = "hodhod.reloaded";
/** Of the script that this is part of: each build has another name. */
const build = import.meta.url;

export async function reloadForPart(): Promise<void> {
  // Any answer, a refusal too, tells that the gateway is there.
  await callApi("GET", "/session").catch(() => undefined);
  const wasLost = await untilReached();
  if (!wasLost) {
    // Once for each build, so that a part that is really missing does not reload for ever.
    if (sessionStorage.getItem(reloadedKey) === build) return;
    sessionStorage.setItem(reloadedKey, build);
  }
  window.location.reload();
}
