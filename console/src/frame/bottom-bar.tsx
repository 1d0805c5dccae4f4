// The side bar of a phone: a bar at the bottom with the pages that are gone to most, and a sheet
// with all others.
import { Dialog } from "radix-ui";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Icon } from "../parts/icon.tsx";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import { barOf, isWithin, linksOf, sectionsOf, type PageLink } from "./page-links.ts";
import { usePerson } from "./person.ts";
import styles from "./bottom-bar.module.css";

export function BottomBar() {
  const t = useTexts();
  const { first, others } = barOf(linksOf(usePerson()));
  return (
    <nav className={styles["bar"]} aria-label={t("frame.pages")}>
      <ul>
        {first.map((link) => (
          <li key={link.path}>
            <PageOf link={link} />
          </li>
        ))}
        {others.length > 0 && (
          <li>
            <More links={others} />
          </li>
        )}
      </ul>
    </nav>
  );
}

function PageOf({ link: { path, text, icon }, onGo }: { readonly link: PageLink; readonly onGo?: () => void }) {
  const t = useTexts();
  const [location] = useLocation();
  return (
    <Link href={path} aria-current={isWithin(location, path) ? "page" : undefined} onClick={() => onGo?.()}>
      <Icon name={icon} />
      <span>{t(text)}</span>
    </Link>
  );
}

/** Marked, too, while one of its pages is shown. */
function More({ links }: { readonly links: readonly PageLink[] }) {
  const t = useTexts();
  const direction = useLanguage() === "fa" ? "rtl" : "ltr";
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger aria-current={links.some(({ path }) => isWithin(location, path)) ? "true" : undefined}>
        <Icon name="more" />
        <span>{t("frame.more")}</span>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={styles["shade"]} />
        <Dialog.Content className={styles["sheet"]} dir={direction} aria-describedby={undefined}>
          <div className={styles["head"]}>
            <Dialog.Title asChild>
              <h2>{t("frame.otherPages")}</h2>
            </Dialog.Title>
            <Dialog.Close aria-label={t("dialog.close")}>
              <Icon name="close" />
            </Dialog.Close>
          </div>
          <nav aria-label={t("frame.otherPages")}>
            {sectionsOf(links).map(({ section, links: own }) => (
              <div key={section}>
                <p className={styles["section"]}>{t(section)}</p>
                <ul>
                  {own.map((link) => (
                    <li key={link.path}>
                      <PageOf link={link} onGo={() => setOpen(false)} />
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </nav>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
