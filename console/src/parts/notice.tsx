// Something that a person should know, where it happened: what, and what to do. Not for what the
// page shows anyway.
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import styles from "./notice.module.css";

export interface NoticeProps {
  readonly kind: "alarm" | "attention" | "calm";
  readonly children: ReactNode;
  /** What can be done about it, at the end of the line. */
  readonly action?: ReactNode;
  readonly role?: "alert" | "status";
}

export function Notice({ kind, children, action, role }: NoticeProps) {
  return (
    <div className={[styles["notice"], styles[kind]].join(" ")} role={role}>
      <Icon name={kind === "calm" ? "check" : "warning"} />
      <div className={styles["text"]}>{children}</div>
      {action !== undefined && <div className={styles["action"]}>{action}</div>}
    </div>
  );
}
