// Whether the window is as narrow as a phone, by the width at which the style sheets change, too.
import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(max-width: 760px)");

function follow(onChange: () => void): () => void {
  narrow.addEventListener("change", onChange);
  return () => narrow.removeEventListener("change", onChange);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(follow, () => narrow.matches);
}
