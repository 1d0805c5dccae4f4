// The API keys of an account: by name and last characters, with what they may do and when they were
// used last; making, changing, rotating and removing them. A new key is shown once.
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { callApi, putTagged } from "../../api/client.ts";
import { useList } from "../../api/queries.ts";
import { type ApiKey, type MadeKey, keysPath } from "../../api/types.ts";
import { endOfDay, readDay, typedDay } from "../../format/jalali.ts";
import { usePerson } from "../../frame/person.ts";
import { ConfirmRemoval } from "../../parts/confirm-removal.tsx";
import { type ButtonProps, Field, LongField, Select, formText } from "../../parts/controls.tsx";
import { type FieldProblems, FormDialog } from "../../parts/form-dialog.tsx";
import { listOf } from "../../parts/object/field-spec.ts";
import { Empty, PageHead } from "../../parts/page.tsx";
import { Notice } from "../../parts/problem.tsx";
import { type Column, EndlessList, RowActions } from "../../parts/table.tsx";
import { TaggedFields, tagOf } from "../../parts/tagged-fields.tsx";
import { Code, Copyable, Moment } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";
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

// Making, changing, rotating and removing an API key. A new key is shown once.

export interface KeyProps {
  readonly account: string;
  readonly apiKey: ApiKey;
}

function pathOf(account: string, name: string): `/accounts/${string}/api-keys/${string}` {
  return `${keysPath(account)}/${encodeURIComponent(name)}`;
}

interface MakeKeyProps {
  readonly account: string;
  /** One primary action a page. */
  readonly kind?: ButtonProps["kind"];
}

export function MakeKey({ account, kind = "primary" }: MakeKeyProps) {
  const t = useTexts();
  const changed = useKeysChanged(account);
  const make = async (form: HTMLFormElement) => {
    const { value } = await putTagged<"PUT /accounts/{name}/api-keys/{key}">(
      pathOf(account, formText(form, "name").trim()),
      readFields(form),
      "new",
    );
    await changed();
    return <NewKey made={value} />;
  };
  return (
    <FormDialog
      button={t("keys.make")}
      kind={kind}
      title={t("keys.makeTitle")}
      lead={t("keys.makeLead")}
      submit={t("keys.make")}
      fields={["name", "allowedIps", "expires"]}
      onSubmit={make}
    >
      {(problemOf) => (
        <>
          <Field
            label={t("keys.name")}
            name="name"
            dir="auto"
            autoComplete="off"
            required
            maxLength={100}
            hint={t("keys.nameHint")}
            problem={problemOf("name")}
          />
          <KeyFields problemOf={problemOf} />
        </>
      )}
    </FormDialog>
  );
}

function KeyFields({ apiKey, problemOf }: { readonly apiKey?: ApiKey; readonly problemOf: FieldProblems }) {
  const t = useTexts();
  const language = useLanguage();
  return (
    <>
      <LongField
        label={t("keys.addresses")}
        name="allowedIps"
        dir="ltr"
        rows={2}
        spellCheck={false}
        defaultValue={apiKey?.allowedIps.join("\n")}
        hint={t("keys.addressesHint")}
        problem={problemOf("allowedIps")}
      />
      <Field
        label={t("keys.lastDay")}
        name="expires"
        dir="ltr"
        autoComplete="off"
        defaultValue={apiKey?.expires === undefined ? "" : typedDay(language, lastDayOf(apiKey.expires))}
        hint={t("keys.lastDayHint")}
        // That of the API names the key and a time: here a day is typed.
        problem={problemOf("expires") && t("keys.wrongDay")}
      />
      <input type="hidden" name="storedExpires" value={apiKey?.expires ?? ""} />
    </>
  );
}

/** The last day on which it works, where the viewer is: `2026-11-21`. */
function lastDayOf(expires: string): string {
  const last = new Date(new Date(expires).getTime() - 1);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${last.getFullYear()}-${two(last.getMonth() + 1)}-${two(last.getDate())}`;
}

/** As the API takes them. What is no day goes as it is, so that the API says so. */
function readFields(form: HTMLFormElement): object {
  const typed = formText(form, "expires").trim();
  return {
    allowedIps: listOf(formText(form, "allowedIps")),
    ...(typed !== "" && { expires: endOf(typed, formText(form, "storedExpires")) }),
  };
}

/** A day that nobody has changed keeps the hour of its end, which a program may have set. */
function endOf(typed: string, stored: string): string {
  const day = readDay(typed);
  if (day === undefined) return typed;
  const isSame = stored !== "" && lastDayOf(stored) === day && new Date(stored).getTime() > Date.now();
  return isSame ? stored : endOfDay(day).toISOString();
}

function NewKey({ made: { name, key = "" } }: { readonly made: MadeKey }) {
  const t = useTexts();
  return (
    <>
      <Notice kind="attention" role="status">
        {t("keys.once")}
      </Notice>
      <div className={styles["secret"]}>
        <bdi>{name}</bdi>
        <Copyable text={key} name={t("keys.key")} whole />
      </div>
    </>
  );
}

export function ChangeKey({ account, apiKey: { name } }: KeyProps) {
  const t = useTexts();
  const changed = useKeysChanged(account);
  const path = pathOf(account, name);
  return (
    <FormDialog
      button={t("keys.change")}
      title={t("keys.changeTitle", { name })}
      submit={t("keys.save")}
      fields={["allowedIps", "expires"]}
      onSubmit={async (form) => {
        await putTagged(path, readFields(form), tagOf(form));
        await changed();
      }}
    >
      {(problemOf) => (
        <TaggedFields<"GET /accounts/{name}/api-keys/{key}"> path={path}>
          {(seen) => <KeyFields apiKey={seen} problemOf={problemOf} />}
        </TaggedFields>
      )}
    </FormDialog>
  );
}

const hours = [0, 1, 24, 168] as const;

export function RotateKey({ account, apiKey: { name } }: KeyProps) {
  const t = useTexts();
  const changed = useKeysChanged(account);
  const rotate = async (form: HTMLFormElement) => {
    const keepHours = Number(formText(form, "keepHours"));
    const made = await callApi<"POST /accounts/{name}/api-keys/{key}/rotate">(
      "POST",
      `${pathOf(account, name)}/rotate`,
      { body: { keepHours }, headers: { "if-match": tagOf(form).etag } },
    );
    await changed();
    return <NewKey made={made} />;
  };
  return (
    <FormDialog
      button={t("keys.rotate")}
      title={t("keys.rotateTitle", { name })}
      lead={t("keys.rotateLead")}
      submit={t("keys.rotate")}
      onSubmit={rotate}
    >
      <TaggedFields<"GET /accounts/{name}/api-keys/{key}"> path={pathOf(account, name)}>
        {() => (
          <Select
            label={t("keys.keepOld")}
            name="keepHours"
            defaultValue="24"
            options={hours.map((count) => ({ value: String(count), text: t(`keys.hours.${count}`) }))}
          />
        )}
      </TaggedFields>
    </FormDialog>
  );
}

export function RemoveKey({ account, apiKey: { name } }: KeyProps) {
  const t = useTexts();
  const changed = useKeysChanged(account);
  return (
    <ConfirmRemoval
      button={t("keys.remove")}
      title={t("keys.removeTitle", { name })}
      text={t("keys.removeText")}
      path={pathOf(account, name)}
      onRemoved={changed}
    />
  );
}

// What follows a change of an account's keys.

/** Reads the list again. */
export function useKeysChanged(account: string): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [keysPath(account)] });
}

// The API keys of one's own account.

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
            <Link href="/code">{t("keys.toCode")}</Link>
            <MakeKey account={account} />
          </>
        }
      />
      <KeyList account={account} mayChange />
    </>
  );
}
