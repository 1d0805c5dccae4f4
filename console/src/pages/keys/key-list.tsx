// The API keys of an account: by name and last characters, with what they may do and when they were
// used last.
import { useList } from "../../api/lists.ts";
import { type ApiKey, keysPath } from "../../api/people.ts";
import { Empty } from "../../parts/empty.tsx";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Code } from "../../parts/number-text.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import type { Column } from "../../parts/table.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { ChangeKey, RemoveKey, RotateKey } from "./key-actions.tsx";
import styles from "./keys.module.css";

export interface KeyListProps {
  readonly account: string;
  readonly mayChange: boolean;
}

export function KeyList({ account, mayChange }: KeyListProps) {
  const t = useTexts();
  const query = useList<"GET /accounts/{name}/api-keys">(keysPath(account));
  return (
    <EndlessList
      name={t("keys.title")}
      query={query}
      keyOf={({ name }) => name}
      columns={columnsOf(t, account, mayChange)}
      empty={
        <Empty title={t("keys.none")}>
          <p>{t("keys.noneText")}</p>
        </Empty>
      }
    />
  );
}

function columnsOf(t: Translate, account: string, mayChange: boolean): readonly Column<ApiKey>[] {
  return [
    {
      key: "name",
      title: t("keys.name"),
      cell: ({ name, retired }) => (
        <>
          <bdi>{name}</bdi>
          {retired === true && <div className={styles["note"]}>{t("keys.retired")}</div>}
        </>
      ),
    },
    {
      key: "last",
      title: t("keys.lastFour"),
      cell: ({ lastFour }) =>
        lastFour === undefined ? (
          <span className={styles["note"]}>{t("keys.fromFile")}</span>
        ) : (
          <Code text={`…${lastFour}`} />
        ),
    },
    {
      key: "addresses",
      title: t("keys.addresses"),
      cell: ({ allowedIps }) => (allowedIps.length === 0 ? t("keys.ofAccount") : <Code text={allowedIps.join(", ")} />),
    },
    {
      key: "used",
      title: t("keys.used"),
      cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? t("keys.unused") : <Moment at={lastUsedAt} ago />),
    },
    { key: "expires", title: t("keys.expires"), cell: ({ expires }) => <Expiry expires={expires} /> },
    ...(mayChange
      ? [
          {
            key: "actions",
            title: t("list.actions"),
            isActions: true,
            cell: (key: ApiKey) => (
              <RowActions>
                {key.retired !== true && <ChangeKey account={account} apiKey={key} />}
                {key.retired !== true && <RotateKey account={account} apiKey={key} />}
                <RemoveKey account={account} apiKey={key} />
              </RowActions>
            ),
          },
        ]
      : []),
  ];
}

function Expiry({ expires }: { readonly expires?: string | undefined }) {
  const t = useTexts();
  if (expires === undefined) return t("keys.never");
  const isOver = new Date(expires).getTime() <= Date.now();
  return (
    <>
      <Moment at={expires} />
      {isOver && <div className={styles["over"]}>{t("keys.over")}</div>}
    </>
  );
}
