// What needs a person, in order of harm; or that nothing does.
import type { Connector } from "../../api/network.ts";
import { formatSpan } from "../../format/times.ts";
import { Notice } from "../../parts/notice.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import { findTroubles } from "./troubles.ts";
import styles from "./overview.module.css";

export function Attention({ connectors }: { readonly connectors: readonly Connector[] }) {
  const t = useTexts();
  const language = useLanguage();
  const troubles = findTroubles(connectors, new Date());
  if (troubles.length === 0)
    return (
      <div className={styles["attention"]}>
        <Notice kind="calm">{t("overview.calm")}</Notice>
      </div>
    );
  return (
    <ul className={styles["attention"]}>
      {troubles.map((trouble) => (
        <li key={`${trouble.kind} ${trouble.connector}`}>
          <Notice kind={trouble.kind === "unbound" ? "alarm" : "attention"}>
            {t(`trouble.${trouble.kind}`, {
              connector: `\u2068${trouble.connector}\u2069`,
              span: formatSpan(language, trouble.ms),
            })}
          </Notice>
        </li>
      ))}
    </ul>
  );
}
