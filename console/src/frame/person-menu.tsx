// The person: a button with the name, and what is theirs.
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSessionActions } from "../api/session.ts";
import { Icon } from "../parts/icon.tsx";
import { problemText } from "../parts/problem.tsx";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import { usePerson } from "./person.ts";
import { roleText } from "./role-text.ts";
import styles from "./person-menu.module.css";

export function PersonMenu() {
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
      <DropdownMenu.Trigger className={styles["person"]}>
        <bdi>{person.username}</bdi>
        <Icon name="down" />
      </DropdownMenu.Trigger>
      {problem !== undefined && (
        <p role="alert" className={styles["problem"]}>
          {problem}
        </p>
      )}
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles["menu"]} align="end" sideOffset={6} collisionPadding={8}>
          <DropdownMenu.Label className={styles["about"]}>
            {person.account !== undefined && <bdi>{person.account}</bdi>}
            <span>{roleText(t, person.role)}</span>
          </DropdownMenu.Label>
          <DropdownMenu.Item className={styles["item"]} onSelect={() => navigate("/profile")}>
            <Icon name="profile" />
            {t("profile.title")}
          </DropdownMenu.Item>
          <DropdownMenu.Item className={styles["item"]} onSelect={leave}>
            <Icon name="out" />
            {t("frame.signOut")}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
