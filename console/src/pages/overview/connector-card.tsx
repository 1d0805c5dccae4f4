// One connector: its binds with what they carry, its queue, its last error.
import type { Bind, Connector } from "../../api/network.ts";
import { formatNumber } from "../../format/numbers.ts";
import { Moment } from "../../parts/moment.tsx";
import { useLanguage } from "../../preferences.ts";
import { isTextKey, useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

export function ConnectorCard({ connector }: { readonly connector: Connector }) {
  const t = useTexts();
  const language = useLanguage();
  const { name, bindStates: binds, due } = connector;
  const bound = binds.filter(({ state }) => state === "bound").length;
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
          {t("connector.waiting", { count: formatNumber(language, due) })}
        </span>
      </div>
      {binds.length > 0 && (
        <ul className={styles["binds"]}>
          {binds.map((bind) => (
            <BindRow key={bind.bind} bind={bind} />
          ))}
        </ul>
      )}
      <LastError binds={binds} />
    </article>
  );
}

type Condition = "well" | "partly" | "down" | "off" | "noNode";

function conditionOf({ state, bindStates }: Connector): Condition {
  if (state === "disabled") return "off";
  if (state === "no node") return "noNode";
  if (state !== "bound") return "down";
  return bindStates.every((bind) => bind.state === "bound") ? "well" : "partly";
}

function BindRow({ bind: { bind, state, node, inFlight, window, since } }: { readonly bind: Bind }) {
  const t = useTexts();
  const language = useLanguage();
  const key = `bind.${state}`;
  const name = t("bind.name", { number: formatNumber(language, bind) });
  return (
    <li className={styles["bind"]} data-state={state}>
      <span className={styles["bindName"]}>{name}</span>
      <span className={styles["bindState"]}>{isTextKey(key) ? t(key) : state}</span>
      <meter
        className={styles["window"]}
        min={0}
        max={window}
        value={inFlight}
        aria-label={`${name}: ${t("bind.window")}`}
      />
      <span className={styles["bindFigures"]}>
        {t("bind.used", { used: formatNumber(language, inFlight), most: formatNumber(language, window) })}
      </span>
      <span className={styles["bindSince"]}>
        {node !== undefined && <bdi>{node}</bdi>} {since !== undefined && <Moment at={since} ago />}
      </span>
    </li>
  );
}

function LastError({ binds }: { readonly binds: readonly Bind[] }) {
  const t = useTexts();
  const errors = binds.filter(({ lastError }) => lastError !== undefined);
  const last = errors.toSorted((a, b) => (b.lastErrorAt ?? "").localeCompare(a.lastErrorAt ?? ""))[0];
  if (last === undefined) return null;
  return (
    <p className={styles["lastError"]}>
      <span>{t("connector.lastError")}</span> <bdi dir="ltr">{last.lastError}</bdi>{" "}
      {last.lastErrorAt !== undefined && <Moment at={last.lastErrorAt} ago />}
    </p>
  );
}
