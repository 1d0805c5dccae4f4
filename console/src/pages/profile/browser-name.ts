// The browser and system of a User-Agent, as people call them. Pure; a guess to recognise one's own
// by.

/** By what stands in a User-Agent. Most name others, too, which come later here. */
const browsers = {
  Edg: "Edge",
  OPR: "Opera",
  SamsungBrowser: "Samsung Internet",
  Firefox: "Firefox",
  FxiOS: "Firefox",
  Chrome: "Chrome",
  CriOS: "Chrome",
  Safari: "Safari",
};
const systems = {
  Android: "Android",
  iPhone: "iOS",
  iPad: "iOS",
  Windows: "Windows",
  "Mac OS X": "macOS",
  Linux: "Linux",
};

/** `Firefox · Linux`; undefined for what is no browser known here. */
export function browserOf(userAgent: string): string | undefined {
  const named = (names: Readonly<Record<string, string>>): string | undefined =>
    Object.entries(names).find(([mark]) => userAgent.includes(mark))?.[1];
  const browser = named(browsers);
  return browser && [browser, named(systems)].filter(Boolean).join(" · ");
}
