// One search box on every page: the id of a message or batch, a phone number and, for staff, an
// operator's id or the name of an account.
import { useEffect, useRef, type SubmitEvent } from "react";
import { useLocation } from "wouter";
import { useTexts } from "../texts/texts.ts";
import { Icon } from "../parts/icon.tsx";
import { useAble } from "./person.ts";
import styles from "./search-box.module.css";

export function SearchBox() {
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
    <form role="search" className={styles["search"]} onSubmit={submit}>
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
