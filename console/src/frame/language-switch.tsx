// To the other language, at once. The button is named in the language that it leads to.
import { chooseLanguage, useLanguage } from "../preferences.ts";
import { Button } from "../parts/button.tsx";

export function LanguageSwitch() {
  return useLanguage() === "en" ? (
    <Button kind="quiet" lang="fa" onClick={() => chooseLanguage("fa")}>
      فارسی
    </Button>
  ) : (
    <Button kind="quiet" lang="en" onClick={() => chooseLanguage("en")}>
      English
    </Button>
  );
}
