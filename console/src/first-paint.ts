// Runs before the first paint, as a script of its own: sets language, direction and theme as they
// were chosen, or as the browser asks. It imports nothing; preferences.ts changes the same
// attributes afterwards.
{
  const root = document.documentElement;
  /** Storage may be closed to us. */
  const read = (key: string): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const asked = navigator.languages.find((language) => /^(fa|en)\b/i.test(language)) ?? "en";
  const chosenLanguage = read("hodhod.language");
  const language =
    chosenLanguage === "fa" || chosenLanguage === "en" ? chosenLanguage : asked.slice(0, 2).toLowerCase();
  root.lang = language;
  root.dir = language === "fa" ? "rtl" : "ltr";
  const chosenTheme = read("hodhod.theme");
  const asksForDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = chosenTheme === "dark" || chosenTheme === "light" ? chosenTheme : asksForDark ? "dark" : "light";
  root.dataset["theme"] = theme;
}
