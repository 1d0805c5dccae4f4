// The bird and the name, and the switches of language and theme: on every page.
import { Button } from "../parts/controls.tsx";
import { Icon } from "../parts/icon.tsx";
import { chooseLanguage, chooseTheme, type Theme, useLanguage, useTheme } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import markStyles from "./mark.module.css";
import themeSwitchStyles from "./theme-switch.module.css";

export function Mark() {
  const t = useTexts();
  return (
    <span className={markStyles["mark"]}>
      <svg
        aria-hidden="true"
        viewBox="0 0 32 32"
        width="26"
        height="26"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.200"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d="M4 21.500 11.200 16.300c.5-4.600 3.800-7.800 8.300-7.800 3.300 0 5.700 2.100 6.700 5.200M18.600 8.500l-3.600-5.200M20 8.200l-.4-6.300M21.600 8.500l2.700-5.600M11.200 16.300c.5 5.600 4.500 9.800 10.300 12.500" />
        <circle cx="19.600" cy="13.800" r="1.200" fill="currentColor" stroke="none" />
      </svg>
      <span>{t("product.name")}</span>
    </span>
  );
}

// To the other language, at once. The button is named in the language that it leads to.

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

// Light or dark.

const themes = [
  { theme: "light", text: "theme.light", icon: "sun" },
  { theme: "dark", text: "theme.dark", icon: "moon" },
] as const satisfies readonly { readonly theme: Theme; readonly text: string; readonly icon: string }[];

export function ThemeSwitch() {
  const t = useTexts();
  const current = useTheme();
  return (
    <span className={themeSwitchStyles["switch"]}>
      {themes.map(({ theme, text, icon }) => (
        <button
          key={theme}
          type="button"
          aria-label={t(text)}
          title={t(text)}
          aria-pressed={theme === current}
          onClick={() => chooseTheme(theme)}
        >
          <Icon name={icon} />
        </button>
      ))}
    </span>
  );
}
