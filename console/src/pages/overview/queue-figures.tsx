// How much waits, and how long the oldest of it.
import type { ConnectorList } from "../../api/network.ts";
import { formatNumber } from "../../format/numbers.ts";
import { formatSpan } from "../../format/times.ts";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

export function QueueFigures({ connectors: { items, unroutable } }: { readonly connectors: ConnectorList }) {
  const t = useTexts();
  const language = useLanguage();
  const queues = [...items, ...(unroutable === undefined ? [] : [unroutable])];
  const due = queues.reduce((sum, queue) => sum + queue.due, 0);
  const scheduled = queues.reduce((sum, queue) => sum + queue.scheduled, 0);
  const oldestSeconds = Math.max(0, ...queues.map((queue) => queue.oldestSeconds));
  const inFlight = items.flatMap(({ bindStates }) => bindStates).reduce((sum, bind) => sum + bind.inFlight, 0);
  const figures = [
    { name: t("queue.waiting"), value: formatNumber(language, due) },
    { name: t("queue.oldest"), value: due === 0 ? "—" : formatSpan(language, oldestSeconds * 1000) },
    { name: t("queue.scheduled"), value: formatNumber(language, scheduled) },
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
