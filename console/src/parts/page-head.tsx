// The beginning of every page: what it is in one line, what can be done at the end of that line,
// and one sentence.
import { useEffect, type ReactNode } from "react";
import { useTexts } from "../texts/texts.ts";
import styles from "./page-head.module.css";

export interface PageHeadProps {
  readonly title: string;
  /** Shown as the title, where it is more than words. */
  readonly heading?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHead({ title, heading, lead, actions }: PageHeadProps) {
  const t = useTexts();
  useEffect(() => {
    document.title = `${title} · ${t("product.name")}`;
  });
  return (
    <div className={styles["head"]}>
      <div className={styles["words"]}>
        <h1>{heading ?? title}</h1>
        {lead !== undefined && <p>{lead}</p>}
      </div>
      {actions !== undefined && <div className={styles["actions"]}>{actions}</div>}
    </div>
  );
}
