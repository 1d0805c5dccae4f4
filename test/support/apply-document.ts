// A setup as a file holds it, applied to a database.
import { type AppliedSetup, type ApplyOptions, applySetup } from "../../src/setup/change-setup.ts";

/** Removes nothing and is no dry run unless the options say so. */
export function applyDocument(
  db: Parameters<typeof applySetup>[0],
  document: object | string,
  options: Partial<ApplyOptions> = {},
): Promise<AppliedSetup> {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  return applySetup(db, { text, folder: ".", prune: false, dryRun: false, ...options });
}
