// "Which way would this number go?": asks the gateway, which judges as it judges a call, and shows
// the answer for each line.
import { type SubmitEvent, useState } from "react";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { useAccountNames } from "../../api/queries.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button, Field, Select, formText } from "../../parts/controls.tsx";
import { fieldProblems } from "../../parts/field-problems.ts";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Dialled, Figure, Rials } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./network.module.css";

type Trace = Answers["POST /route-trace"];
type Way = Trace["ways"][number];

export function RouteTrace() {
  const t = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [trace, setTrace] = useState<Trace>();
  const [error, setError] = useState<unknown>();
  const ask = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setError(undefined);
    callApi<"POST /route-trace">("POST", "/route-trace", {
      changesNothing: true,
      body: {
        recipientNumber: asciiDigits(formText(form, "recipientNumber")),
        account: formText(form, "account"),
        senderNumber: asciiDigits(formText(form, "senderNumber")),
        content: formText(form, "content"),
      },
    })
      .then(setTrace, (problem: unknown) => {
        setTrace(undefined);
        setError(problem);
      })
      .finally(() => setBusy(false));
  };
  const { problemOf, isTold } = fieldProblems(error, ["recipientNumber", "senderNumber", "content"]);
  return (
    <Section title={t("trace.title")} lead={t("trace.lead")}>
      <Question isBusy={isBusy} onSubmit={ask} problemOf={problemOf} />
      {error !== undefined && !isTold && <Problem error={error} />}
      <div aria-live="polite">{trace !== undefined && <TraceAnswer trace={trace} />}</div>
    </Section>
  );
}

interface QuestionProps {
  readonly isBusy: boolean;
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  readonly problemOf: (field: string) => string | undefined;
}

function Question({ isBusy, onSubmit, problemOf }: QuestionProps) {
  const t = useTexts();
  const accounts = useAccountNames().map((value) => ({ value, text: value }));
  return (
    <form className={styles["ask"]} onSubmit={onSubmit}>
      <Field
        label={t("trace.number")}
        name="recipientNumber"
        dir="ltr"
        inputMode="tel"
        placeholder="09121234567"
        problem={problemOf("recipientNumber")}
        required
      />
      <Select
        label={t("trace.account")}
        name="account"
        options={[{ value: "", text: t("trace.anyAccount") }, ...accounts]}
      />
      <Field
        label={t("trace.line")}
        name="senderNumber"
        dir="ltr"
        hint={t("trace.lineHint")}
        problem={problemOf("senderNumber")}
      />
      <Field
        label={t("trace.text")}
        name="content"
        dir="auto"
        hint={t("trace.textHint")}
        problem={problemOf("content")}
      />
      <div>
        <Button type="submit" busy={isBusy}>
          {t("trace.ask")}
        </Button>
      </div>
    </form>
  );
}

function TraceAnswer({
  trace: { recipientNumber, operator, operatorBy, prefix, ways, furtherLines },
}: {
  readonly trace: Trace;
}) {
  const t = useTexts();
  const groups = equalWays(ways);
  const firstBad = groups.findIndex(({ way }) => !isGood(way));
  return (
    <>
      <p className={styles["verdict"]}>
        <Dialled text={recipientNumber} />: <bdi>{operator}</bdi>{" "}
        <span className={styles["soft"]}>
          {operatorBy === "prefix" ? t("trace.by.prefix", { prefix: `0${prefix ?? ""}` }) : t(`trace.by.${operatorBy}`)}
        </span>
      </p>
      {ways.length === 0 && <p>{t("trace.noLines")}</p>}
      {groups.map(({ lines, way }, index) => (
        <OneWay key={lines[0]?.line ?? index} lines={lines} way={way} isOpen={index === firstBad} />
      ))}
      {furtherLines > 0 && <p className={styles["soft"]}>{t("trace.further", { count: furtherLines })}</p>}
    </>
  );
}

type LineOfWay = Pick<Way, "line" | "kind">;

interface EqualWays {
  readonly lines: readonly LineOfWay[];
  readonly way: Omit<Way, "line" | "kind">;
}

/** Lines for which everything else is the same are told once, in the order of the first of them. */
function equalWays(ways: readonly Way[]): readonly EqualWays[] {
  const groups = new Map<string, EqualWays>();
  for (const { line, kind, ...way } of ways) {
    const key = JSON.stringify(way);
    const own = { ...(line !== undefined && { line }), ...(kind !== undefined && { kind }) };
    groups.set(key, { lines: [...(groups.get(key)?.lines ?? []), own], way });
  }
  return [...groups.values()];
}

function isGood({ refused, connector }: EqualWays["way"]): boolean {
  return refused === undefined && connector !== undefined;
}

function LinesOfWay({ lines }: { readonly lines: readonly LineOfWay[] }) {
  const t = useTexts();
  return lines.map(({ line, kind }, index) =>
    line === undefined ? null : (
      <span key={line}>
        {index > 0 && t("trace.between")}
        <Dialled text={line} /> {kind !== undefined && isKind(kind) && t(`lines.kind.${kind}`)}
      </span>
    ),
  );
}

function OneWay({ lines, way, isOpen }: EqualWays & { readonly isOpen: boolean }) {
  const t = useTexts();
  const { refused, routes, connectors, connector } = way;
  const goes = isGood(way);
  return (
    <details className={styles["way"]} open={isOpen || undefined}>
      <summary>
        <span className={goes ? styles["good"] : refused === undefined ? styles["waits"] : styles["bad"]}>
          <Icon name={goes ? "check" : refused === undefined ? "warning" : "close"} />
        </span>
        <span>
          <LinesOfWay lines={lines} />
          {lines.some(({ line }) => line !== undefined) && " · "}
          {refused !== undefined ? (
            <span dir="auto">
              {refused.errorMessage} <bdi dir="ltr">{refused.errorCode}</bdi>
            </span>
          ) : connector === undefined ? (
            t("trace.waits")
          ) : (
            t("trace.goes", { connector })
          )}
        </span>
        <span className={styles["price"]}>
          <Price way={way} />
        </span>
      </summary>
      <ol className={styles["reasons"]}>
        {routes.map(({ position, operator, line, verdict }) => (
          <li key={position} data-verdict={verdict}>
            {t("trace.route", { position, operator, line })} {t(`trace.verdict.${verdict}`)}
          </li>
        ))}
      </ol>
      {connectors.length > 0 && (
        <ul className={styles["reasons"]}>
          {connectors.map(({ name, verdict }) => (
            <li key={name} data-verdict={verdict}>
              <bdi>{name}</bdi>: {t(`trace.link.${verdict}`)}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function isKind(kind: string): kind is "dedicated" | "service" | "advertising" {
  return ["dedicated", "service", "advertising"].includes(kind);
}

function Price({ way: { parts, price, cost, prices } }: Pick<EqualWays, "way">) {
  const t = useTexts();
  if (cost !== undefined && parts !== undefined && price !== undefined) {
    return (
      <>
        <Rials value={cost} />{" "}
        <span className={styles["soft"]}>
          (<Figure value={parts} /> × <Figure value={price} />)
        </span>
      </>
    );
  }
  if (prices === undefined) return null;
  return (
    <>
      {(["fa", "en", "other"] as const).map((language) => (
        <span key={language}>
          {t(`language.${language}`)} <Rials value={prices[language]} />{" "}
        </span>
      ))}
    </>
  );
}
