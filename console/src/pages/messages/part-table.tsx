// The state of each part, for staff.
import { Figure, Code } from "../../parts/number-text.tsx";
import { Moment } from "../../parts/moment.tsx";
import { StateSign, type MessageState } from "../../parts/state.tsx";
import { Table } from "../../parts/table.tsx";
import { isTextKey, useTexts, type Translate } from "../../texts/texts.ts";
import styles from "./part-table.module.css";
import type { LifePart } from "./message-life.ts";

export function PartTable({ parts }: { readonly parts: readonly LifePart[] }) {
  const t = useTexts();
  return (
    <Table
      name={t("part.title")}
      rows={parts}
      keyOf={({ part }) => String(part)}
      columns={[
        { key: "part", title: t("part.number"), cell: ({ part }) => <Figure value={part} /> },
        { key: "state", title: t("message.state"), cell: (part) => <PartState t={t} part={part} /> },
        { key: "connector", title: t("part.connector"), cell: ({ connector }) => <bdi>{connector}</bdi> },
        {
          key: "id",
          title: t("part.smscId"),
          cell: ({ smscMessageId = "" }) => smscMessageId !== "" && <Code text={smscMessageId} />,
        },
      ]}
    />
  );
}

const signs: Readonly<Record<string, MessageState>> = {
  inFlight: "sent",
  taken: "sent",
  uncertain: "open",
  delivered: "delivered",
  undelivered: "undelivered",
  unsent: "unsent",
};

function PartState({
  t,
  part: { state, resendAt, heldUntil, resolvedBy },
}: {
  readonly t: Translate;
  readonly part: LifePart;
}) {
  const key = `part.state.${state}`;
  return (
    <span className={styles["state"]}>
      <StateSign state={signs[state] ?? "waiting"} />
      <span>
        {isTextKey(key) ? t(key) : state}
        {resolvedBy !== undefined && ` · ${t("part.wasUncertain")}`}
        {resendAt !== undefined && (
          <>
            {" · "}
            {t("part.resendAt")} <Moment at={resendAt} />
          </>
        )}
        {heldUntil !== undefined && (
          <>
            {" · "}
            {t("part.heldUntil")} <Moment at={heldUntil} />
          </>
        )}
      </span>
    </span>
  );
}
