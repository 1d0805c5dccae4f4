// What stands around every page: side bar, search, language, theme, person. On a phone the side bar is a bar at the bottom.
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Icon } from "../parts/icon.tsx";
import { useTexts } from "../texts/texts.ts";
import { LanguageSwitch } from "./language-switch.tsx";
import { Mark } from "./mark.tsx";
import { pagesOf, type PageEntry } from "./page-list.ts";
import { usePerson } from "./person.ts";
import { PersonMenu } from "./person-menu.tsx";
import { SearchBox } from "./search-box.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import styles from "./frame.module.css";

export function Frame({ children }: { readonly children: ReactNode }) {
  const t = useTexts();
  return (
    <div className={styles["frame"]}>
      <a className={styles["skip"]} href="#content">
        {t("frame.skip")}
      </a>
      <SideBar />
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
    </div>
  );
}

function SideBar() {
  const t = useTexts();
  const [location] = useLocation();
  const links = pagesOf(usePerson()).flatMap(({ path, link }) => (link === undefined ? [] : [{ path, ...link }]));
  const sections = [...new Set(links.map(({ section }) => section))];
  return (
    <div className={styles["side"]}>
      <Link href="/" className={styles["sideMark"]}>
        <Mark />
      </Link>
      <nav aria-label={t("frame.pages")}>
        {sections.map((section) => (
          <div key={section} className={styles["section"]}>
            <p className={styles["sectionName"]}>{t(section)}</p>
            <ul>
              {links
                .filter((link) => link.section === section)
                .map(({ path, text, icon }) => (
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

function isWithin(location: string, path: PageEntry["path"]): boolean {
  return location === path || location.startsWith(`${path}/`);
}
