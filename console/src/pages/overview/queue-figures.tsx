// How much waits, and how long the oldest of it.
import type { Connector } from "../../api/network.ts";
import { formatNumber } from "../../format/numbers.ts";
import { formatSpan } from "../../format/times.ts";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

export function QueueFigures({ connectors }: { readonly connectors: readonly Connector[] }) {
  const t = useTexts();
  const language = useLanguage();
  const sum = (read: (connector: Connector) => number) => connectors.reduce((total, each) => total + read(each), 0);
  const oldest = Math.max(0, ...connectors.map(({ queue }) => queue.oldestSeconds));
  const waiting = sum(({ queue }) => queue.waiting);
  const binds = connectors.flatMap((connector) => connector.binds);
  const inFlight = binds.reduce((total, bind) => total + (bind.inFlight ?? 0), 0);
  const figures = [
    { name: t("queue.waiting"), value: formatNumber(language, waiting) },
    { name: t("queue.oldest"), value: waiting === 0 ? "—" : formatSpan(language, oldest * 1000) },
    {
      name: t("queue.scheduled"),
      value: formatNumber(
        language,
        sum(({ queue }) => queue.scheduled),
      ),
    },
    { name: t("queue.inFlight"), value: formatNumber(language, inFlight) },
  ];
  return (
    <dl className={styles["figures"]}>
      {figures.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
