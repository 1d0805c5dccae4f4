// The API keys of an account: by name and last characters, with what they may do and when they were
// used last; making, changing, rotating and removing them. A new key is shown once.
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import type { ApiKey, MadeKey } from "../../api/types.ts";
import { endOfDay, localDate, readDay, startOfDay, typedDay } from "../../format/jalali.ts";
import { formatDay } from "../../format/times.ts";
import { usePerson } from "../../frame/person.ts";
import type { ButtonProps } from "../../parts/controls.tsx";
import { type FieldSpec, shownText } from "../../parts/field-spec.ts";
import { FormDialog, ShownOnce } from "../../parts/form-dialog.tsx";
import { FilteredList } from "../../parts/list-page.tsx";
import { RemoveDialog } from "../../parts/object-dialog.tsx";
import { PageHead } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Code, Moment } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";
import styles from "./keys.module.css";

export function KeysPage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  return (
    <>
      <PageHead
        title={t("keys.title")}
        lead={t("keys.lead")}
        actions={
          <>
            <Link href="/code">{t("code.title")}</Link>
            <MakeKey account={account} />
          </>
        }
      />
      <KeyList account={account} />
    </>
  );
}

export function KeyList({ account }: { readonly account: string }) {
  const t = useTexts();
  return (
    <FilteredList
      list="GET /accounts/{name}/api-keys"
      name={t("keys.title")}
      asked={{ params: { name: account } }}
      keyOf={({ name }) => name}
      columns={columnsOf(t)}
      actions={(key) => <Actions account={account} apiKey={key} />}
      none={{ title: t("keys.none"), text: t("keys.noneText") }}
    />
  );
}

function columnsOf(t: Translate): readonly Column<ApiKey>[] {
  return [
    {
      title: t("object.name"),
      cell: ({ name, retired }) => (
        <>
          <bdi>{name}</bdi>
          {retired === true && <div className={styles["note"]}>{t("keys.retired")}</div>}
        </>
      ),
    },
    {
      title: t("keys.lastFour"),
      cell: ({ lastFour }) =>
        lastFour === undefined ? (
          <span className={styles["note"]}>{t("keys.fromFile")}</span>
        ) : (
          <Code text={`…${lastFour}`} />
        ),
    },
    {
      title: t("keys.addresses"),
      cell: ({ allowedIps }) => (allowedIps.length === 0 ? t("keys.ofAccount") : <Code text={allowedIps.join(", ")} />),
    },
    {
      title: t("keys.used"),
      cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? t("keys.unused") : <Moment at={lastUsedAt} />),
    },
    { title: t("keys.expires"), cell: ({ expires }) => <Expiry expires={expires} /> },
  ];
}

function Expiry({ expires }: { readonly expires?: string | undefined }) {
  const t = useTexts();
  const language = useLanguage();
  if (expires === undefined) return t("keys.never");
  const isOver = new Date(expires).getTime() <= Date.now();
  return (
    <>
      {formatDay(language, startOfDay(lastDayOf(expires)))}
      {isOver && <div className={styles["over"]}>{t("keys.over")}</div>}
    </>
  );
}

const path = "/accounts/{name}/api-keys/{key}";

interface MakeKeyProps {
  readonly account: string;
  /** One primary action a page. */
  readonly kind?: ButtonProps["kind"];
}

export function MakeKey({ account, kind = "primary" }: MakeKeyProps) {
  const t = useTexts();
  const name: FieldSpec = {
    name: "name",
    label: t("object.name"),
    kind: "text",
    required: true,
    hint: t("keys.nameHint"),
    typing: { maxLength: 100 },
  };
  return (
    <FormDialog
      button={t("keys.make")}
      kind={kind}
      title={t("keys.make")}
      lead={t("keys.makeLead")}
      specs={[name, ...keySpecs(t)]}
      onSubmit={async ({ name: key, ...given }) => {
        const params = { name: account, key: shownText(key) };
        const body = { ...given, expires: endOf(given["expires"]) };
        return <NewKey made={await callApi(`PUT ${path}`, { params, body, expected: "new" })} />;
      }}
    />
  );
}

function keySpecs(t: Translate): readonly FieldSpec[] {
  return [
    {
      name: "allowedIps",
      label: t("keys.addresses"),
      kind: "list",
      isLong: true,
      hint: t("keys.addressesHint"),
      typing: { rows: 2 },
    },
    {
      name: "expires",
      label: t("keys.lastDay"),
      kind: "text",
      hint: t("keys.lastDayHint"),
      typing: { dir: "ltr" },
      // That of the API names the key and a time: here a day is typed.
      problem: t("keys.wrongDay"),
    },
  ];
}

/** The last day on which it works, where the viewer is: `2026-11-21`. */
function lastDayOf(expires: string): string {
  return localDate(new Date(Date.parse(expires) - 1));
}

/**
 * A day that nobody has changed keeps the hour of its end, which a program may have set. What is no
 * day goes as it is, so that the API says so.
 */
function endOf(typed: unknown, stored?: string): unknown {
  const day = readDay(shownText(typed));
  if (day === undefined) return typed;
  const isSame = stored !== undefined && lastDayOf(stored) === day && Date.parse(stored) > Date.now();
  return isSame ? stored : endOfDay(day).toISOString();
}

function NewKey({ made: { name, key = "" } }: { readonly made: MadeKey }) {
  const t = useTexts();
  return (
    <ShownOnce
      note={t("keys.once")}
      values={[
        { name: t("keys.address"), text: window.location.origin },
        { name: t("object.name"), text: name },
        { name: t("kind.apiKey"), text: key },
      ]}
    />
  );
}

const hours = [0, 1, 24, 168] as const;

function Actions({ account, apiKey: { name, retired } }: { readonly account: string; readonly apiKey: ApiKey }) {
  const t = useTexts();
  const language = useLanguage();
  const params = { name: account, key: name };
  const about = { name: `GET ${path}`, params } as const;
  const keepHours: FieldSpec = {
    name: "keepHours",
    label: t("keys.keepOld"),
    kind: "number",
    options: hours.map((count) => ({ value: String(count), text: t(`keys.hours.${count}`) })),
  };
  return (
    <>
      {retired !== true && (
        <>
          <FormDialog
            button={t("object.edit")}
            title={t("object.editTitle", { name })}
            submit={t("object.save")}
            about={about}
            specs={keySpecs(t)}
            fill={({ allowedIps, expires }) => ({
              allowedIps,
              expires: expires && typedDay(language, lastDayOf(expires)),
            })}
            onSubmit={async (given, { value, expected }) => {
              const body = { ...given, expires: endOf(given["expires"], value.expires) };
              await callApi(`PUT ${path}`, { params, body, expected });
            }}
          />
          <FormDialog
            button={t("keys.rotate")}
            title={t("keys.rotateTitle", { name })}
            lead={t("keys.rotateLead")}
            about={about}
            specs={[keepHours]}
            initial={{ keepHours: 24 }}
            onSubmit={async (body, { expected }) => (
              <NewKey made={await callApi(`POST ${path}/rotate`, { params, body, expected })} />
            )}
          />
        </>
      )}
      <RemoveDialog name={name} text={t("keys.removeText")} path={path} of={{ params }} />
    </>
  );
}
