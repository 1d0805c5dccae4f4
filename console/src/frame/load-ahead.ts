// Loads the code of a page before the page is shown: of the address that is opened while the
// browser asks who is signed in, and of a link while somebody points at it.
import { loadPage } from "./page-list.ts";

const base = "/console";

/** For the whole life of the document. */
export function loadPagesAhead(): void {
  loadPageAt(window.location);
  for (const pointing of ["pointerover", "focusin"])
    document.addEventListener(pointing, ({ target }) => {
      const link = target instanceof Element ? target.closest("a") : null;
      if (link !== null) loadPageAt(link);
    });
}

function loadPageAt({ origin, pathname }: Pick<Location, "origin" | "pathname">): void {
  if (origin === window.location.origin && pathname.startsWith(`${base}/`)) loadPage(pathname.slice(base.length));
}
