// What stands around every page: side bar, search, language, theme, person. On a phone a bar at the
// bottom instead of the side bar.
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Icon } from "../parts/icon.tsx";
import { useTexts } from "../texts/texts.ts";
import { BottomBar } from "./bottom-bar.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { Mark } from "./mark.tsx";
import { isWithin, linksOf, sectionsOf } from "./page-links.ts";
import { usePerson } from "./person.ts";
import { PersonMenu } from "./person-menu.tsx";
import { SearchBox } from "./search-box.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { useNarrow } from "./use-narrow.ts";
import styles from "./frame.module.css";

export function Frame({ children }: { readonly children: ReactNode }) {
  const t = useTexts();
  const isNarrow = useNarrow();
  return (
    <div className={styles["frame"]}>
      <a className={styles["skip"]} href="#content">
        {t("frame.skip")}
      </a>
      {!isNarrow && <SideBar />}
      <header className={styles["top"]}>
        <span className={styles["phoneMark"]}>
          <Mark />
        </span>
        <SearchBox />
        <div className={styles["switches"]}>
          <LanguageSwitch />
          <ThemeSwitch />
          <PersonMenu />
        </div>
      </header>
      <main className={styles["content"]} id="content" tabIndex={-1}>
        {children}
      </main>
      {isNarrow && <BottomBar />}
    </div>
  );
}

function SideBar() {
  const t = useTexts();
  const [location] = useLocation();
  return (
    <div className={styles["side"]}>
      <Link href="/" className={styles["sideMark"]}>
        <Mark />
      </Link>
      <nav aria-label={t("frame.pages")}>
        {sectionsOf(linksOf(usePerson())).map(({ section, links }) => (
          <div key={section} className={styles["section"]}>
            <p className={styles["sectionName"]}>{t(section)}</p>
            <ul>
              {links.map(({ path, text, icon }) => (
                <li key={path}>
                  <Link href={path} aria-current={isWithin(location, path) ? "page" : undefined}>
                    <Icon name={icon} />
                    <span>{t(text)}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  );
}
