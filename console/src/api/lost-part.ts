// A part of the console did not come: after an upgrade those of the old page are gone, and while
// the gateway is away none comes. The page is loaded anew, but never while there is no gateway: the
// browser would put its own page in the place of the console, and stay there.
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
