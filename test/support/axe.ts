// What axe says of a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules that find nothing serious take a third of the time. */
const withoutOthers = `Object.fromEntries(
  axe._audit.rules
    .filter(({ impact }) => impact === "minor" || impact === "moderate")
    .map(({ id }) => [id, { enabled: false }]))`;

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe calls serious or critical, with where. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // By the debugger: the policy of the page lets no foreign script in. It leaves the object `axe`
  // behind, which a page keeps until it loads another document.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const violations = await page.evaluate<Violation[]>(
    // Rules that pass are not described: that takes longer than they do.
    `axe.run(document, { resultTypes: ["violations"], rules: ${withoutOthers} }).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${page.url()} ${id}: ${nodes.map(({ html, failureSummary = "" }) => `${html} ${failureSummary}`).join("; ")}`,
    );
}
