// What stands around the pages before the console itself: the name of the house, and language and
// theme.
import { useEffect, type ReactNode } from "react";
import { LanguageSwitch } from "../../frame/language-switch.tsx";
import { Mark } from "../../frame/mark.tsx";
import { ThemeSwitch } from "../../frame/theme-switch.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./sign-in-frame.module.css";

export interface SignInFrameProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

export function SignInFrame({ title, lead, children }: SignInFrameProps) {
  const t = useTexts();
  useEffect(() => {
    document.title = `${title} · ${t("product.name")}`;
  });
  return (
    <div className={styles["page"]}>
      <header className={styles["top"]}>
        <LanguageSwitch />
        <ThemeSwitch />
      </header>
      <main className={styles["frame"]}>
        <Mark />
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p className={styles["lead"]}>{lead}</p>}
        </div>
        {children}
      </main>
    </div>
  );
}
