// How fast it goes, how much waits, and how long: the figures of this second.
import type { LiveFigures } from "../../api/live.ts";
import { formatNumber } from "../../format/numbers.ts";
import { formatSpan } from "../../format/times.ts";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

export function PresentFigures({ figures: { rates, latency, queue } }: { readonly figures: LiveFigures }) {
  const t = useTexts();
  const language = useLanguage();
  const rate = (name: string) => formatNumber(language, rates[name] ?? 0);
  const age = (seconds: number) => (seconds === 0 ? "—" : formatSpan(language, seconds * 1000));
  const ms = (value: number) => (value === 0 ? "—" : formatSpan(language, value));
  const figures = [
    { name: t("rate.in"), value: rate("accepted") },
    { name: t("rate.out"), value: rate("sent") },
    { name: t("rate.delivered"), value: rate("delivered") },
    { name: t("queue.waiting"), value: formatNumber(language, queue.waiting) },
    { name: t("queue.oldestCode"), value: age(queue.oldestCodeSeconds) },
    { name: t("queue.oldestOther"), value: age(queue.oldestOtherSeconds) },
    { name: t("latency.median"), value: ms(latency.medianMs) },
    { name: t("latency.slow"), value: ms(latency.slowMs) },
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
