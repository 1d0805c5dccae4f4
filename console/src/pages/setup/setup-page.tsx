// The configuration as a setup file: read, saved, and applied after it was said what that changes
// and undoes.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiProblem, callTagged, type Tagged } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { useAnswer } from "../../api/queries.ts";
import { Button, FileField, LongField } from "../../parts/controls.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { PageHead, Section } from "../../parts/page.tsx";
import { Notice, Problem, whoText } from "../../parts/problem.tsx";
import { Loaded } from "../../parts/table.tsx";
import { isNameless, kindText, Moment } from "../../parts/values.tsx";
import { isolated, isTextKey, type Translate, useTexts } from "../../texts/texts.ts";
import { SettingsDialog } from "./settings-dialog.tsx";
import styles from "./setup.module.css";

export function SetupPage() {
  const t = useTexts();
  return (
    <>
      <PageHead title={t("setup.title")} lead={t("setup.lead")} actions={<SettingsDialog />} />
      <Section title={t("setup.apply")} lead={t("setup.applyLead")}>
        <ApplyFile />
      </Section>
      <Section title={t("setup.present")} lead={t("setup.presentLead")}>
        <Present />
      </Section>
    </>
  );
}

function ApplyFile() {
  const t = useTexts();
  const [text, setText] = useState("");
  const [done, setDone] = useState<Applied>();
  const check = useMutation({ mutationFn: () => post(text), onMutate: () => setDone(undefined) });
  const give = (given: string): void => {
    setText(given);
    setDone(undefined);
    check.reset();
  };
  // No other changes are made than those that were shown.
  const apply = async (etag: string): Promise<void> => {
    setDone((await post(text, etag)).value);
    check.reset();
  };
  const { data: checked, error, isPending } = check;
  return (
    <div className={styles["apply"]}>
      <FileText text={text} onGive={give} disabled={isPending} />
      <div>
        <Button kind="primary" busy={isPending} disabled={text.trim() === ""} onClick={() => check.mutate()}>
          {t("setup.check")}
        </Button>
      </div>
      {error !== null && <SetupProblem error={error} />}
      {checked !== undefined && <Plan plan={checked.value} onApply={() => apply(checked.etag)} />}
      {done !== undefined && (
        <Notice kind="calm" role="status">
          {t("setup.done", { count: done.changes.length })}
        </Notice>
      )}
    </div>
  );
}

/** `shown`: the tag of the changes that shall be made; absent: they are only told. */
function post(setup: string, shown?: string): Promise<Tagged<Applied>> {
  const changesNothing = shown === undefined;
  const query = { dryRun: String(changesNothing) };
  const expected = changesNothing ? {} : { expected: { etag: shown } };
  return callTagged("POST /setup", { query, body: { setup }, changesNothing, ...expected });
}

function Present() {
  const t = useTexts();
  const present = useAnswer("GET /setup");
  return (
    <Loaded query={present}>
      {(data) => (
        <div className={styles["present"]}>
          <div>
            <Button onClick={() => save(data.setup)}>{t("setup.download")}</Button>
          </div>
          <pre dir="ltr" tabIndex={0} aria-label={t("setup.present")}>
            <code>{data.setup}</code>
          </pre>
        </div>
      )}
    </Loaded>
  );
}

/** As a file of the browser. */
function save(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "hodhod-setup.yaml";
  link.click();
  URL.revokeObjectURL(address);
}

// A setup file, chosen or pasted, as text that can be edited before it is checked.

interface FileTextProps {
  readonly text: string;
  readonly disabled: boolean;
  readonly onGive: (text: string) => void;
}

function FileText({ text, disabled, onGive }: FileTextProps) {
  const t = useTexts();
  return (
    <>
      <FileField
        label={t("setup.file")}
        accept=".yaml,.yml,.json"
        disabled={disabled}
        onChoose={(file) => void file.text().then(onGive)}
      />
      <LongField
        label={t("setup.text")}
        className={styles["text"]}
        dir="ltr"
        rows={10}
        spellCheck={false}
        disabled={disabled}
        value={text}
        onChange={({ target }) => onGive(target.value)}
      />
    </>
  );
}

// What a setup file would change, what of that it undoes, and the question before it does; or its
// faults.

export type Applied = Answers["POST /setup"];
type Change = Applied["changes"][number];

/** So many are named in the question; the list behind it has all. */
const mostNamed = 8;

export function Plan({ plan, onApply }: { readonly plan: Applied; readonly onApply: () => Promise<void> }) {
  const t = useTexts();
  const { changes, warnings } = plan;
  return (
    <div className={styles["plan"]} role="status">
      {warnings.map(({ path, line, message, hint }) => (
        <Notice key={`${path} ${message}`} kind="attention">
          <bdi dir="ltr">
            {line !== undefined && `${t("setup.line", { line })} `}
            {path}: {message} {hint}
          </bdi>
        </Notice>
      ))}
      {changes.length === 0 ? (
        <Notice kind="calm">{t("setup.nothing")}</Notice>
      ) : (
        <>
          <h3>{t("setup.wouldChange", { count: changes.length })}</h3>
          <ul className={styles["changes"]} aria-label={t("setup.changes")}>
            {changes.map((change) => (
              <OneChange key={`${change.kind} ${change.name}`} change={change} />
            ))}
          </ul>
          <div>
            <FormDialog
              kind="danger"
              button={t("setup.applyNow")}
              title={t("setup.question", { count: changes.length })}
              lead={questionText(t, changes)}
              onSubmit={onApply}
            />
          </div>
        </>
      )}
    </div>
  );
}

function OneChange({ change }: { readonly change: Change }) {
  const t = useTexts();
  const { details, lastChange } = change;
  return (
    <li>
      <strong>{changeText(t, change)}</strong>
      {details.map((detail) => (
        <bdi key={detail} dir="ltr" className={styles["detail"]}>
          {detail}
        </bdi>
      ))}
      {lastChange !== undefined && (
        <p className={styles["undoes"]}>
          {t("setup.undoes", { who: whoText(t, lastChange.who) })} <Moment at={lastChange.at} ago />
        </p>
      )}
    </li>
  );
}

function changeText(t: Translate, { action, kind, name }: Change): string {
  const key = `setup.action.${action}`;
  // The name keeps its own direction (Unicode's first strong isolate).
  const what = isNameless(kind, name) ? kindText(t, kind) : `${kindText(t, kind)} ${isolated(name)}`;
  return isTextKey(key) ? t(key, { what }) : what;
}

function questionText(t: Translate, changes: readonly Change[]): string {
  const named = changes.slice(0, mostNamed).map((change) => changeText(t, change));
  const more = changes.length - named.length;
  return [...named, ...(more > 0 ? [t("rules.more", { count: more })] : [])].join(t("list.comma"));
}

/** Each fault with its place in the file. */
function SetupProblem({ error }: { readonly error: unknown }) {
  const t = useTexts();
  if (!(error instanceof ApiProblem) || error.fields.length === 0) return <Problem error={error} />;
  return (
    <Notice kind="alarm" role="alert">
      {t("setup.faults")}
      <ul className={styles["faults"]}>
        {error.fields.map(({ field, errorMessage }) => (
          <li key={`${field} ${errorMessage}`}>
            <bdi>{errorMessage}</bdi> <code dir="ltr">{field}</code>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
