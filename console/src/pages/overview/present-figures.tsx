// How fast it goes, how much waits, and how long: the figures of this second.
import { Fragment } from "react";
import type { LiveFigures } from "../../api/live.ts";
import { formatNumber } from "../../format/numbers.ts";
import { spanParts } from "../../format/times.ts";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

export function PresentFigures({ figures: { rates, latency, queue } }: { readonly figures: LiveFigures }) {
  const t = useTexts();
  const language = useLanguage();
  const rate = (name: keyof typeof rates) => formatNumber(language, rates[name]);
  const ms = (value: number) => (value === 0 ? "—" : <Span ms={value} />);
  const age = (seconds: number) => ms(seconds * 1000);
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

/** The figures large, their units small, and each unit on the line of its figure. */
function Span({ ms }: { readonly ms: number }) {
  const parts = spanParts(useLanguage(), ms);
  return parts.map(({ figure, unit }, index) => (
    <Fragment key={unit}>
      {index > 0 && " "}
      <span className={styles["span"]}>
        {figure} <small>{unit}</small>
      </span>
    </Fragment>
  ));
}
