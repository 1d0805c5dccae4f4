// One connector: its binds with what they carry, its queue, its last error.
import type { Bind, Connector } from "../../api/network.ts";
import { formatNumber } from "../../format/numbers.ts";
import { Moment } from "../../parts/moment.tsx";
import { useLanguage } from "../../preferences.ts";
import { isTextKey, useTexts, type Translate } from "../../texts/texts.ts";
import styles from "./overview.module.css";

export function ConnectorCard({ connector: { name, binds, queue, enabled } }: { readonly connector: Connector }) {
  const t = useTexts();
  const language = useLanguage();
  const bound = binds.filter(({ state }) => state === "bound").length;
  const state = !enabled ? "off" : bound === binds.length && bound > 0 ? "well" : bound > 0 ? "partly" : "down";
  const errors = binds.filter(({ lastError }) => lastError !== undefined);
  const last = errors.toSorted((a, b) => (b.lastErrorAt ?? "").localeCompare(a.lastErrorAt ?? ""))[0];
  return (
    <article className={styles["connector"]} data-state={state}>
      <div className={styles["connectorHead"]}>
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <span className={styles["connectorState"]}>
          {t(`connector.${state}`, { bound: formatNumber(language, bound), all: formatNumber(language, binds.length) })}
        </span>
        <span className={styles["connectorQueue"]}>
          {t("connector.waiting", { count: formatNumber(language, queue.waiting) })}
        </span>
      </div>
      <ul className={styles["binds"]}>
        {binds.map((bind) => (
          <BindRow key={bind.number} bind={bind} t={t} />
        ))}
      </ul>
      {last?.lastError !== undefined && (
        <p className={styles["lastError"]}>
          <span>{t("connector.lastError")}</span> <bdi dir="ltr">{last.lastError}</bdi>{" "}
          {last.lastErrorAt !== undefined && <Moment at={last.lastErrorAt} ago />}
        </p>
      )}
    </article>
  );
}

function BindRow({ bind, t }: { readonly bind: Bind; readonly t: Translate }) {
  const language = useLanguage();
  const { number, state, inFlight = 0, window } = bind;
  const key = `bind.${state}`;
  const used = formatNumber(language, inFlight);
  const most = formatNumber(language, window);
  return (
    <li className={styles["bind"]} data-state={state}>
      <span className={styles["bindName"]}>{t("bind.name", { number: formatNumber(language, number) })}</span>
      <span className={styles["bindState"]}>{isTextKey(key) ? t(key) : state}</span>
      <meter className={styles["window"]} min={0} max={window} value={inFlight} aria-label={t("bind.window")} />
      <span className={styles["bindFigures"]}>{t("bind.used", { used, most })}</span>
      <span className={styles["bindSince"]}>{bind.since !== undefined && <Moment at={bind.since} ago />}</span>
    </li>
  );
}
