// Is anything wrong now? What needs a person on top, then how fast it goes and what waits, the
// series, each connector with its binds, and the nodes.
import { operatorText } from "../../../../src/texts/list-file-texts.ts";
import { waitingText } from "../../../../src/texts/waiting-texts.ts";
import { Link } from "wouter";
import { Unreachable } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import type { Attention as Trouble, LiveBind, LiveConnector, LiveFigures, LiveNode } from "../../api/types.ts";
import { formatNumber, type Language } from "../../format/numbers.ts";
import { formatNearTime, formatSpan } from "../../format/times.ts";
import { useAble } from "../../frame/person.ts";
import { LinkErrors } from "../../parts/link-errors.tsx";
import { Empty, PageHead, Section } from "../../parts/page.tsx";
import { Notice, Problem, whoText } from "../../parts/problem.tsx";
import { Table, Waiting } from "../../parts/table.tsx";
import { Code, Moment } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { isolated, isTextKey, type Translate, useTexts } from "../../texts/texts.ts";
import { DeliveryTable, Series } from "./series.tsx";
import styles from "./overview.module.css";

/** While the page can be seen. */
const everyMs = 2_000;

export function OverviewPage() {
  const t = useTexts();
  const { data: figures, error } = useAnswer("GET /live", {}, { refetchInterval: everyMs });
  // That the gateway is unreachable is shown for all pages (frame/lost-connection.tsx).
  const problem = error instanceof Unreachable ? null : error;
  return (
    <>
      <PageHead title={t("overview.title")} lead={t("overview.lead")} />
      {problem !== null && <Problem error={problem} />}
      {figures === undefined ? (
        problem === null && <Waiting />
      ) : (
        <>
          <Attention troubles={figures.attention} />
          <SwitchedOff off={figures.switchedOff} />
          <PresentFigures figures={figures} />
          {figures.waits.length > 0 && (
            <Section title={t("overview.waits")}>
              <Waits waits={figures.waits} />
            </Section>
          )}
        </>
      )}
      <Section title={t("overview.series")}>
        <Series />
      </Section>
      <Section title={t("delivery.title")} lead={t("delivery.lead")}>
        <DeliveryTable />
      </Section>
      {figures !== undefined && (
        <>
          <div id="connectors">
            <Section title={t("connectors.title")}>
              <Connectors connectors={figures.connectors} />
            </Section>
          </div>
          <div id="nodes">
            <Section title={t("overview.nodes")}>
              <NodeTable nodes={figures.nodes} />
            </Section>
          </div>
        </>
      )}
    </>
  );
}

function Connectors({ connectors }: { readonly connectors: readonly LiveConnector[] }) {
  const t = useTexts();
  if (connectors.length === 0)
    return (
      <Empty title={t("connectors.none")}>
        <p>{t("overview.addConnector")}</p>
        <pre dir="ltr" tabIndex={0}>
          hodhod apply setup.yaml
        </pre>
      </Empty>
    );
  return (
    <ul className={styles["connectors"]}>
      {connectors.map((connector) => (
        <li key={connector.name}>
          <ConnectorCard connector={connector} />
        </li>
      ))}
    </ul>
  );
}

// What needs a person, in order of harm, each with a way to it; or that nothing does.

const alarms: readonly string[] = ["codesWait", "noConnector", "nodeSilent", "leaseLost"];
/** A link may come back by itself: after so long it is an alarm, or as soon as messages wait for it. */
const alarmAfterSeconds = { wait: 10, otherConnector: 60, unrouted: Infinity };

function isAlarm({ kind, messages, seconds = 0, count = 0 }: Trouble): boolean {
  if (messages === undefined || kind === "connectorPaused") return alarms.includes(kind);
  return count > 0 || seconds >= alarmAfterSeconds[messages];
}

export function Attention({ troubles }: { readonly troubles: readonly Trouble[] }) {
  const t = useTexts();
  const language = useLanguage();
  if (troubles.length === 0)
    return (
      <div className={styles["attention"]}>
        <Notice kind="calm">{t("overview.calm")}</Notice>
      </div>
    );
  return (
    <ul className={styles["attention"]}>
      {troubles.map((trouble) => (
        <li key={[trouble.kind, trouble.by, trouble.name, trouble.operator, trouble.line].join(" ")}>
          <Notice kind={isAlarm(trouble) ? "alarm" : "attention"} action={<Way trouble={trouble} />}>
            {wordsOf(t, language, trouble)}
          </Notice>
        </li>
      ))}
    </ul>
  );
}

/** What people have switched off, since when and by whom: nothing of it waits for anybody. */
function SwitchedOff({ off }: { readonly off: LiveFigures["switchedOff"] }) {
  const t = useTexts();
  const language = useLanguage();
  const named = (kind: string, name: string) => isolated(kind === "operator" ? operatorText(name)[language] : name);
  return (
    <ul className={styles["switchedOff"]}>
      {off.map(({ kind, name, isPaused, since, who }) => (
        <li key={`${kind} ${name}`}>
          <Link href={`/${kind}s`}>
            {t(isPaused ? "trouble.connectorPaused" : `off.${kind}`, { name: named(kind, name) })}
          </Link>
          {since !== undefined && who !== undefined && (
            <>
              {" "}
              {t("object.changedBy", { who: whoText(t, who) })} <Moment at={since} ago />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function wordsOf(t: Translate, language: Language, trouble: Trouble): string {
  const { kind, name = "", seconds = 0, balance = 0, limit = 0, count = 0, submitted = 0, unanswered = 0 } = trouble;
  const { by, points = 0, share = (100 * unanswered) / Math.max(1, submitted) } = trouble;
  const key = `trouble.${kind}${by === undefined ? "" : `.${by}`}`;
  if (!isTextKey(key)) return kind;
  const named = (value = ""): string => (value === "*" ? t("routes.all") : isolated(value));
  const values = {
    name: isolated(name),
    operator: named(trouble.operator && operatorText(trouble.operator)[language]),
    line: named(trouble.line),
    span: formatSpan(language, seconds * 1000),
    amount: balance,
    limit,
    count: `${formatNumber(language, count)}${trouble.isAtLeast === true ? "+" : ""}`,
    points,
    share,
  };
  return [t(key, values), ...unboundSentences(t, trouble)].join(" ");
}

/** What becomes of the messages of a connector that is not bound, and its last error. */
function unboundSentences(t: Translate, { messages, count = 0, lastErrorKind }: Trouble): readonly string[] {
  if (messages === undefined) return [];
  const fate = messages === "wait" && count > 0 ? "counted" : messages;
  const error = lastErrorKind === undefined ? [] : [`${t(`linkError.${lastErrorKind}`)}.`];
  return [t(`trouble.unbound.${fate}`, { count }), ...error];
}

/** Where to act on it; nothing where this person has no such page. */
function Way({ trouble }: { readonly trouble: Trouble }) {
  const t = useTexts();
  const mayReview = useAble("texts");
  const path = wayTo(trouble);
  if (path === "/review" && !mayReview) return null;
  return path.startsWith("#") ? <a href={path}>{t("trouble.look")}</a> : <Link href={path}>{t("trouble.look")}</Link>;
}

function wayTo({ kind, by, name = "" }: Trouble): string {
  switch (kind) {
    case "codesWait":
    case "messagesWait":
      return "/messages?status=0";
    case "deliveryFell":
      return `/quality?by=${by ?? "connector"}`;
    case "lowCredit":
      return `/accounts/${encodeURIComponent(name)}`;
    case "reviewWaits":
      return "/review";
    case "templatesWait":
      return "/templates?state=pending";
    case "noConnector":
      return "/connectors";
    case "routeOff":
      return "/routes";
    case "nodeSilent":
    case "leaseLost":
    case "clockOff":
      return "#nodes";
    default:
      return "#connectors";
  }
}

// How fast it goes, how much waits, and how long: the figures of this second.

function PresentFigures({ figures: { rates, latency, queue } }: { readonly figures: LiveFigures }) {
  const t = useTexts();
  const language = useLanguage();
  const rate = (name: keyof typeof rates) => formatNumber(language, rates[name]);
  const ms = (value: number) => (value === 0 ? "—" : formatSpan(language, value));
  const age = (seconds: number) => ms(seconds * 1000);
  const figures = [
    { name: t("rate.in"), value: rate("accepted") },
    { name: t("rate.out"), value: rate("sent") },
    { name: t("rate.delivered"), value: rate("delivered") },
    { name: t("queue.due"), value: formatNumber(language, queue.waiting) },
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

// What the queue waits for.

export function Waits({ waits }: { readonly waits: LiveFigures["waits"] }) {
  const t = useTexts();
  const language = useLanguage();
  const time = (at: Date) => formatNearTime(language, at, new Date());
  const style = { language, time, number: (value: number) => formatNumber(language, value), ofMany: true };
  return (
    <Table
      name={t("overview.waits")}
      rows={waits}
      keyOf={({ kind, connectors = [] }) => `${kind} ${connectors.join(" ")}`}
      columns={[
        { title: t("overview.waitsFor"), cell: (reason) => waitingText(reason, style) },
        { title: t("messages.title"), atEnd: true, cell: ({ messages }) => messages },
      ]}
    />
  );
}

// One connector: its binds with what they carry, and their last errors.

function ConnectorCard({ connector }: { readonly connector: LiveConnector }) {
  const t = useTexts();
  const { name, binds, partsPerSecond } = connector;
  const used = binds.filter(({ bound }) => bound).length;
  const condition = conditionOf(connector);
  return (
    <article className={styles["connector"]} data-state={condition}>
      <div className={styles["connectorHead"]}>
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <span className={styles["connectorState"]}>
          {t(`connectors.state.${condition === "partly" ? "bound" : condition}`)}
          {used > 0 && ` ${t("bind.used", { used, most: binds.length })}`}
        </span>
        <span className={styles["connectorQueue"]}>{t("connector.rate", { count: partsPerSecond })}</span>
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

type Condition = "bound" | "partly" | "down" | "disabled" | "paused" | "noNode";

function conditionOf({ enabled, paused, binds }: LiveConnector): Condition {
  if (!enabled) return "disabled";
  if (paused) return "paused";
  if (binds.length === 0) return "noNode";
  if (!binds.some(({ bound }) => bound)) return "down";
  return binds.every(({ bound }) => bound) ? "bound" : "partly";
}

function BindRow({ bind: shown }: { readonly bind: LiveBind }) {
  const { bind, bound, node, inFlight, window, partsPerSecond, since } = shown;
  const t = useTexts();
  const name = t("bind.name", { number: bind });
  return (
    <li className={styles["bind"]} data-state={bound ? "bound" : "down"}>
      <span className={styles["bindName"]}>{name}</span>
      <span className={styles["bindState"]}>{t(bound ? "connectors.state.bound" : "connectors.state.down")}</span>
      <meter
        className={styles["window"]}
        min={0}
        max={window}
        value={inFlight}
        aria-label={`${name}: ${t("bind.window")}`}
      />
      <span className={styles["bindFigures"]}>
        {t("bind.used", { used: inFlight, most: window })}
        {t("list.comma")}
        {t("connector.rate", { count: partsPerSecond })}
      </span>
      <span className={styles["bindSince"]}>
        <bdi>{node}</bdi>
        {t("list.comma")}
        <Moment at={since} ago />
      </span>
    </li>
  );
}

// The nodes of the gateway, as they tell of themselves each second.

/** A node reports its figures at least every four seconds. */
const silentSeconds = 10;

function NodeTable({ nodes }: { readonly nodes: readonly LiveNode[] }) {
  const t = useTexts();
  const language = useLanguage();
  return (
    <Table
      name={t("overview.nodes")}
      rows={nodes}
      keyOf={({ id }) => id}
      columns={[
        { title: t("node.host"), cell: ({ host, pid }) => <Code text={`${host} · ${pid}`} /> },
        {
          title: t("message.state"),
          cell: ({ lease, silentSeconds: silent }) => (
            <span className={styles["nodeState"]} data-alive={lease && silent < silentSeconds}>
              {silent >= silentSeconds
                ? t("node.silent", { span: formatSpan(language, silent * 1000) })
                : t(lease ? "node.alive" : "node.dead")}
            </span>
          ),
        },
        { title: t("rate.in"), atEnd: true, cell: ({ accepted }) => accepted },
        { title: t("rate.out"), atEnd: true, cell: ({ sent }) => sent },
        {
          title: t("node.binds"),
          atEnd: true,
          cell: ({ binds, boundBinds }) => t("bind.used", { used: boundBinds, most: binds }),
        },
      ]}
    />
  );
}
