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

/**
 * What stands around each page, in parts: a link of the side bar, a button at the top. They are
 * most of what a page of the console has.
 */
const framingParts = "nav li, nav p, header form, header button";

/**
 * Returns the parts that axe has already found right in this document. A part counts as the same if
 * it has the same markup, ancestors, colours, fonts and window width, and the same elements above
 * and below it. `axe.right` keeps the descriptions of the right parts; `told` has those of the
 * present parts.
 */
const partsAlreadyRead = `(() => {
  axe.right ??= new Set();
  const tagOf = (element) => element.cloneNode(false).outerHTML;
  const colours = ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight", "textShadow"];
  const looksOf = (element) => {
    const style = getComputedStyle(element);
    return colours.map((each) => style[each]).join();
  };
  const around = new Map();
  const aroundOf = (element) => {
    if (element === null) return String(innerWidth);
    if (!around.has(element)) around.set(element, aroundOf(element.parentElement) + tagOf(element) + looksOf(element));
    return around.get(element);
  };
  const stackAt = ({ left, top, width, height }) =>
    document.elementsFromPoint(left + width / 2, top + height / 2).map((each) => tagOf(each)).join("");
  const parts = [...document.querySelectorAll("${framingParts}")].filter((part) => part.closest("main") === null);
  const told = new Map(parts.map((part) => {
    const inside = [part, ...part.querySelectorAll(":not(svg *)")];
    const stacks = stackAt(part.getBoundingClientRect());
    return [part, [part.outerHTML, aroundOf(part.parentElement), inside.map(looksOf).join(), stacks].join(" | ")];
  }));
  return { told, read: parts.filter((part) => axe.right.has(told.get(part))) };
})()`;

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
    `(async () => {
      const { told, read } = ${partsAlreadyRead};
      const options = { resultTypes: ["violations"], rules: ${withoutOthers} };
      const { violations } = await axe.run({ include: document, exclude: read }, options);
      if (violations.length === 0) for (const each of told.values()) axe.right.add(each);
      return violations;
    })()`,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${page.url()} ${id}: ${nodes.map(({ html, failureSummary = "" }) => `${html} ${failureSummary}`).join("; ")}`,
    );
}
