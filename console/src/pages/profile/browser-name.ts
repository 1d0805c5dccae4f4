// The browser and system of a User-Agent, as people call them. Pure; a guess to recognise one's own
// by.

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biP(?:hone|ad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** `Firefox · Linux`; undefined for what is no browser known here. */
export function browserOf(userAgent: string): string | undefined {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  return browser === undefined ? undefined : [browser, system].filter((name) => name !== undefined).join(" · ");
}
