// Light or dark.
import { chooseTheme, useTheme, type Theme } from "../preferences.ts";
import { Icon } from "../parts/icon.tsx";
import { useTexts } from "../texts/texts.ts";
import styles from "./theme-switch.module.css";

const themes = [
  { theme: "light", text: "theme.light", icon: "sun" },
  { theme: "dark", text: "theme.dark", icon: "moon" },
] as const satisfies readonly { readonly theme: Theme; readonly text: string; readonly icon: string }[];

export function ThemeSwitch() {
  const t = useTexts();
  const current = useTheme();
  return (
    <span className={styles["switch"]}>
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
