// What stands around the pages before the console itself: the name of the house, and language and
// theme.
import { useEffect, type ReactNode } from "react";
import { LanguageSwitch } from "../../frame/language-switch.tsx";
import { Mark } from "../../frame/mark.tsx";
import { ThemeSwitch } from "../../frame/theme-switch.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./door-frame.module.css";

export interface DoorFrameProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

export function DoorFrame({ title, lead, children }: DoorFrameProps) {
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
      <main className={styles["door"]}>
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
