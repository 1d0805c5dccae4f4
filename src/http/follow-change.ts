// Brings this node to a change of the configuration that it has just stored.
import type { ServerParts } from "./server-parts.ts";

/**
 * The next call to this node finds the change. Call it when the change is committed. Never rejects:
 * if the change cannot be read now, this node gets it a moment later, like all others.
 */
export async function followChange({ parts }: { readonly parts: Pick<ServerParts, "directory"> }): Promise<void> {
  await parts.directory.refresh().catch(() => undefined);
}
