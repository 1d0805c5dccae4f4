// "Which way would this number go?": asks the gateway, which judges as it judges a call, and shows
// the answer for each line.
import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { choicesOf, useAccountNames } from "../../api/queries.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button } from "../../parts/controls.tsx";
import { fieldProblems } from "../../parts/field-problems.ts";
import { type FieldSpec, readFields, shownText } from "../../parts/field-spec.ts";
import { DeclaredFields } from "../../parts/fields.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Fields } from "../../parts/merge-typed.ts";
import { Section } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Dialled, Figure, Rials } from "../../parts/values.tsx";
import { useTexts, wordFor } from "../../texts/texts.ts";
import styles from "./network.module.css";

type Trace = Answers["POST /route-trace"];
type Way = Trace["ways"][number];

export function RouteTrace() {
  const t = useTexts();
  const trace = useMutation({
    mutationFn: ({ recipientNumber, senderNumber, ...rest }: Fields) => {
      const body = {
        recipientNumber: asciiDigits(shownText(recipientNumber)),
        senderNumber: asciiDigits(shownText(senderNumber)),
        ...rest,
      };
      return callApi("POST /route-trace", { body, changesNothing: true });
    },
  });
  const specs = useSpecs();
  const { problemOf, isTold } = fieldProblems(
    trace.error,
    specs.map(({ name }) => name),
  );
  const ask = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    trace.mutate(readFields(event.currentTarget, specs));
  };
  return (
    <Section title={t("trace.title")} lead={t("trace.lead")}>
      <form className={styles["ask"]} onSubmit={ask}>
        <DeclaredFields specs={specs} values={{}} problemOf={problemOf} />
        <div>
          <Button type="submit" busy={trace.isPending}>
            {t("trace.ask")}
          </Button>
        </div>
      </form>
      {trace.error !== null && !isTold && <Problem error={trace.error} />}
      <div aria-live="polite">{trace.data !== undefined && <TraceAnswer trace={trace.data} />}</div>
    </Section>
  );
}

function useSpecs(): readonly FieldSpec[] {
  const t = useTexts();
  const anyAccount = { value: "", text: t("trace.anyAccount") };
  const accounts = choicesOf(useAccountNames());
  return [
    {
      name: "recipientNumber",
      label: t("trace.number"),
      kind: "text",
      required: true,
      typing: { dir: "ltr", inputMode: "tel", placeholder: "09121234567" },
    },
    { name: "account", label: t("message.account"), kind: "choice", options: [anyAccount, ...accounts] },
    {
      name: "senderNumber",
      label: t("message.line"),
      kind: "text",
      hint: t("trace.lineHint"),
      typing: { dir: "ltr" },
    },
    { name: "content", label: t("message.text"), kind: "text", hint: t("trace.textHint") },
  ];
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
        {index > 0 && t("list.comma")}
        <Dialled text={line} /> {kind !== undefined && wordFor(t, `lines.kind.${kind}`, "")}
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
          {lines.some(({ line }) => line !== undefined) && t("list.comma")}
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
              <bdi>{name}</bdi>: {t(`trace.link.${refused !== undefined && verdict === "used" ? "unused" : verdict}`)}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
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
