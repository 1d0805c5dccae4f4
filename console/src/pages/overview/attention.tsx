// What needs a person, in order of harm; or that nothing does.
import type { ConnectorList } from "../../api/network.ts";
import { formatNumber } from "../../format/numbers.ts";
import { formatSpan } from "../../format/times.ts";
import { Notice } from "../../parts/notice.tsx";
import type { Language } from "../../language.ts";
import { useLanguage } from "../../preferences.ts";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { findTroubles, type Trouble } from "./troubles.ts";
import styles from "./overview.module.css";

export function Attention({ connectors }: { readonly connectors: ConnectorList }) {
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
        <li key={trouble.kind === "unroutable" ? trouble.kind : `${trouble.kind} ${trouble.connector}`}>
          <Notice kind={trouble.kind === "waiting" ? "attention" : "alarm"}>{wordsOf(t, language, trouble)}</Notice>
        </li>
      ))}
    </ul>
  );
}

function wordsOf(t: Translate, language: Language, trouble: Trouble): string {
  if (trouble.kind === "unroutable") return t("trouble.unroutable", { count: formatNumber(language, trouble.count) });
  const connector = `\u2068${trouble.connector}\u2069`;
  return t(`trouble.${trouble.kind}`, { connector, span: formatSpan(language, trouble.ms) });
}
