// What stands around every page: side bar, search, language, theme, person. On a phone a bar at the
// bottom instead of the side bar.
import { Dialog, DropdownMenu } from "radix-ui";
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import { useSessionActions } from "../api/session.ts";
import type { Person } from "../api/types.ts";
import { Icon } from "../parts/icon.tsx";
import { problemText } from "../parts/problem.tsx";
import { useLanguage } from "../preferences.ts";
import { type TextKey, useTexts, wordFor } from "../texts/texts.ts";
import { type LinkName, pagesOf } from "./page-list.ts";
import { useAble, usePerson } from "./person.ts";
import { LanguageSwitch, Mark, ThemeSwitch } from "./switches.tsx";
import bottomBarStyles from "./bottom-bar.module.css";
import frameStyles from "./frame.module.css";
import personMenuStyles from "./person-menu.module.css";
import searchBoxStyles from "./search-box.module.css";

export function Frame({ children }: { readonly children: ReactNode }) {
  const t = useTexts();
  const isNarrow = useNarrow();
  return (
    <div className={frameStyles["frame"]}>
      <a className={frameStyles["skip"]} href="#content">
        {t("frame.skip")}
      </a>
      {!isNarrow && <SideBar />}
      <header className={frameStyles["top"]}>
        <span className={frameStyles["phoneMark"]}>
          <Mark />
        </span>
        <SearchBox />
        <div className={frameStyles["switches"]}>
          <LanguageSwitch />
          <ThemeSwitch />
          <PersonMenu />
        </div>
      </header>
      <main className={frameStyles["content"]} id="content" tabIndex={-1}>
        {children}
      </main>
      {isNarrow && <BottomBar />}
    </div>
  );
}

function SideBar() {
  const t = useTexts();
  return (
    <div className={frameStyles["side"]}>
      <Link href="/" className={frameStyles["sideMark"]}>
        <Mark />
      </Link>
      <nav aria-label={t("frame.pages")}>
        {sectionsOf(linksOf(usePerson())).map(([section, links]) => (
          <div key={section} className={frameStyles["section"]}>
            {section !== "section.now" && <p className={frameStyles["sectionName"]}>{t(section)}</p>}
            <PageLinks links={links} />
          </div>
        ))}
      </nav>
    </div>
  );
}

// The side bar of a phone: a bar at the bottom with the pages that are gone to most, and a sheet
// with all others.

function BottomBar() {
  const t = useTexts();
  const { first, others } = barOf(linksOf(usePerson()));
  return (
    <nav className={bottomBarStyles["bar"]} aria-label={t("frame.pages")}>
      <PageLinks links={first}>
        {others.length > 0 && (
          <li>
            <More links={others} />
          </li>
        )}
      </PageLinks>
    </nav>
  );
}

interface PageLinksProps {
  readonly links: readonly PageLink[];
  readonly onGo?: () => void;
  /** What stands after them. */
  readonly children?: ReactNode;
}

function PageLinks({ links, onGo, children }: PageLinksProps) {
  const t = useTexts();
  const [location] = useLocation();
  return (
    <ul>
      {links.map(({ path, name }) => (
        <li key={path}>
          <Link href={path} aria-current={isWithin(location, path) ? "page" : undefined} onClick={() => onGo?.()}>
            <Icon name={name} />
            <span>{t(`${name}.title`)}</span>
          </Link>
        </li>
      ))}
      {children}
    </ul>
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
        <Dialog.Overlay className={bottomBarStyles["shade"]} />
        <Dialog.Content className={bottomBarStyles["sheet"]} dir={direction} aria-describedby={undefined}>
          <div className={bottomBarStyles["head"]}>
            <Dialog.Title asChild>
              <h2>{t("frame.otherPages")}</h2>
            </Dialog.Title>
            <Dialog.Close aria-label={t("dialog.close")}>
              <Icon name="close" />
            </Dialog.Close>
          </div>
          <nav aria-label={t("frame.otherPages")}>
            {sectionsOf(links).map(([section, own]) => (
              <div key={section}>
                <p className={bottomBarStyles["section"]}>{t(section)}</p>
                <PageLinks links={own} onGo={() => setOpen(false)} />
              </div>
            ))}
          </nav>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

// The person: a button with the name, and what is theirs.

function PersonMenu() {
  const t = useTexts();
  const person = usePerson();
  const [, navigate] = useLocation();
  const { signOut } = useSessionActions();
  const [problem, setProblem] = useState<string>();
  const direction = useLanguage() === "fa" ? "rtl" : "ltr";
  const leave = (): void => {
    signOut().then(
      () => navigate("/sign-in"),
      (error: unknown) => setProblem(problemText(t, error)),
    );
  };
  return (
    <DropdownMenu.Root dir={direction} modal={false}>
      <DropdownMenu.Trigger className={personMenuStyles["person"]}>
        <bdi>{person.username}</bdi>
        <Icon name="down" />
      </DropdownMenu.Trigger>
      {problem !== undefined && (
        <p role="alert" className={personMenuStyles["problem"]}>
          {problem}
        </p>
      )}
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={personMenuStyles["menu"]} align="end" sideOffset={6} collisionPadding={8}>
          <DropdownMenu.Label className={personMenuStyles["about"]}>
            {person.account !== undefined && <bdi>{person.account}</bdi>}
            <span>{wordFor(t, `role.${person.role}`, person.role)}</span>
          </DropdownMenu.Label>
          <DropdownMenu.Item className={personMenuStyles["item"]} onSelect={() => navigate("/profile")}>
            <Icon name="profile" />
            {t("profile.title")}
          </DropdownMenu.Item>
          <DropdownMenu.Item className={personMenuStyles["item"]} asChild>
            <a href={direction === "rtl" ? "/docs/README.fa" : "/docs/README"} target="_blank" rel="noreferrer">
              <Icon name="templates" />
              {t("frame.guides")}
            </a>
          </DropdownMenu.Item>
          <DropdownMenu.Item className={personMenuStyles["item"]} onSelect={leave}>
            <Icon name="out" />
            {t("frame.signOut")}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

// One search box on every page: the id of a message or batch, a phone number and, for staff, an
// operator's id or the name of an account.

function SearchBox() {
  const t = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [, navigate] = useLocation();
  const seesAccounts = useAble("see");
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, []);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const words = input.current?.value.trim() ?? "";
    if (words === "") return;
    navigate(`/search?q=${encodeURIComponent(words)}`);
    event.currentTarget.reset();
    input.current?.blur();
  };
  return (
    <form role="search" className={searchBoxStyles["search"]} onSubmit={submit}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={t("search.name")}
        placeholder={seesAccounts ? t("search.hintStaff") : t("search.hintCustomer")}
        dir="auto"
        spellCheck={false}
        autoComplete="off"
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [role=menu], [role=dialog]") !== null
  );
}

// Whether the window is as narrow as a phone, by the width at which the style sheets change, too.

const narrow = window.matchMedia("(max-width: 760px)");

function follow(onChange: () => void): () => void {
  narrow.addEventListener("change", onChange);
  return () => narrow.removeEventListener("change", onChange);
}

function useNarrow(): boolean {
  return useSyncExternalStore(follow, () => narrow.matches);
}

// The pages that the bars link to: by section, and which of them are in the bar of a phone.

interface PageLink {
  readonly path: string;
  readonly section: TextKey;
  readonly name: LinkName;
}

/** So many names fit side by side at 360 px. */
const mostPlaces = 5;

/**
 * The pages that staff and customers open most; the first of them that a person may see are in the bar.
 */
const goneToMost = ["/overview", "/home", "/send", "/messages", "/accounts", "/connectors", "/credit", "/reports"];

function linksOf(person: Person): readonly PageLink[] {
  return pagesOf(person).flatMap(({ path, link }) => {
    if (link === undefined) return [];
    const [section, name] = link;
    return [{ path, section, name }];
  });
}

/** In their order. */
function sectionsOf(links: readonly PageLink[]): readonly (readonly [TextKey, readonly PageLink[]])[] {
  const sections = new Set(links.map(({ section }) => section));
  return [...sections].map((section) => [section, links.filter((link) => link.section === section)]);
}

/** All where they fit; else the last place is that of the others. */
function barOf(links: readonly PageLink[]): {
  readonly first: readonly PageLink[];
  readonly others: readonly PageLink[];
} {
  if (links.length <= mostPlaces) return { first: links, others: [] };
  const first = goneToMost.flatMap((wanted) => links.filter(({ path }) => path === wanted)).slice(0, mostPlaces - 1);
  return { first, others: links.filter((link) => !first.includes(link)) };
}

function isWithin(location: string, path: string): boolean {
  return location === path || location.startsWith(`${path}/`);
}
