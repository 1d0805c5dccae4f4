// Language and theme: what the first paint decided, changed by the person, kept in this browser.
// The document's attributes are the state.
import { useSyncExternalStore } from "react";
import type { Language } from "./format/numbers.ts";

export type Theme = "light" | "dark";

const root = document.documentElement;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of listeners) listener();
}

/** Storage may be closed to us; then the choice lasts as long as the page. */
function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}

export function currentLanguage(): Language {
  return root.lang === "fa" ? "fa" : "en";
}

export function chooseLanguage(language: Language): void {
  root.lang = language;
  root.dir = language === "fa" ? "rtl" : "ltr";
  keep("hodhod.language", language);
  changed();
}

function currentTheme(): Theme {
  return root.dataset["theme"] === "dark" ? "dark" : "light";
}

export function chooseTheme(theme: Theme): void {
  root.dataset["theme"] = theme;
  keep("hodhod.theme", theme);
  changed();
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, currentLanguage);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}
