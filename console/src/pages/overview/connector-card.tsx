// One connector: its binds with what they carry, and their last errors.
import type { LiveBind, LiveConnector } from "../../api/live.ts";
import { formatNumber } from "../../format/numbers.ts";
import { LinkErrors } from "../../parts/link-errors.tsx";
import { Moment } from "../../parts/moment.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

export function ConnectorCard({ connector }: { readonly connector: LiveConnector }) {
  const t = useTexts();
  const language = useLanguage();
  const { name, binds, partsPerSecond } = connector;
  const bound = binds.filter((bind) => bind.bound).length;
  return (
    <article className={styles["connector"]} data-state={conditionOf(connector)}>
      <div className={styles["connectorHead"]}>
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <span className={styles["connectorState"]}>
          {t(`connector.${conditionOf(connector)}`, {
            bound: formatNumber(language, bound),
            all: formatNumber(language, binds.length),
          })}
        </span>
        <span className={styles["connectorQueue"]}>
          {t("connector.rate", { count: formatNumber(language, partsPerSecond) })}
        </span>
      </div>
      {binds.length > 0 && (
        <ul className={styles["binds"]}>
          {binds.map((bind) => (
            <BindRow key={`${bind.node} ${bind.bind}`} bind={bind} />
          ))}
        </ul>
      )}
      {binds.some(({ lastError }) => lastError !== undefined) && (
        <div className={styles["lastErrors"]}>
          <span>{t("connector.lastError")}</span>
          <div>
            <LinkErrors binds={binds} isAlone={binds.length === 1} />
          </div>
        </div>
      )}
    </article>
  );
}

type Condition = "well" | "partly" | "down" | "off" | "paused" | "noNode";

function conditionOf({ enabled, paused, binds }: LiveConnector): Condition {
  if (!enabled) return "off";
  if (paused) return "paused";
  if (binds.length === 0) return "noNode";
  if (!binds.some(({ bound }) => bound)) return "down";
  return binds.every(({ bound }) => bound) ? "well" : "partly";
}

function BindRow({ bind: shown }: { readonly bind: LiveBind }) {
  const { bind, bound, node, inFlight, window, partsPerSecond, since } = shown;
  const t = useTexts();
  const language = useLanguage();
  const name = t("bind.name", { number: formatNumber(language, bind) });
  return (
    <li className={styles["bind"]} data-state={bound ? "bound" : "down"}>
      <span className={styles["bindName"]}>{name}</span>
      <span className={styles["bindState"]}>{t(bound ? "bind.bound" : "bind.down")}</span>
      <meter
        className={styles["window"]}
        min={0}
        max={window}
        value={inFlight}
        aria-label={`${name}: ${t("bind.window")}`}
      />
      <span className={styles["bindFigures"]}>
        {t("bind.used", { used: formatNumber(language, inFlight), most: formatNumber(language, window) })}
        {" · "}
        {t("connector.rate", { count: formatNumber(language, partsPerSecond) })}
      </span>
      <span className={styles["bindSince"]}>
        <bdi>{node}</bdi> · <Moment at={since} ago />
      </span>
    </li>
  );
}
