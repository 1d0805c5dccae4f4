// The configuration as a setup file: read, saved, and applied after it was said what that changes
// and undoes.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi, type Tagged } from "../../api/client.ts";
import { postTagged } from "../../api/tagged.ts";
import { Button } from "../../parts/button.tsx";
import { Waiting } from "../../parts/endless-list.tsx";
import { Notice } from "../../parts/notice.tsx";
import { isOfService } from "../../parts/object/object-dialog.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Section } from "../../parts/section.tsx";
import { useTexts } from "../../texts/texts.ts";
import { FileText } from "./file-text.tsx";
import { Plan, SetupProblem, type Applied } from "./plan.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";
import styles from "./setup.module.css";

/** What a check of this very text said. */
interface Checked {
  readonly text: string;
  /** Of the changes that were shown: no others are made. */
  readonly etag: string;
  readonly plan: Applied;
}

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
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [checked, setChecked] = useState<Checked>();
  const [done, setDone] = useState<Applied>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const give = (given: string): void => {
    setText(given);
    setChecked(undefined);
    setDone(undefined);
    setError(undefined);
  };
  const check = (): void => {
    setBusy(true);
    setError(undefined);
    setDone(undefined);
    post(text)
      .then(({ value, etag }) => setChecked({ text, etag, plan: value }), setError)
      .finally(() => setBusy(false));
  };
  const apply = async (of: Checked): Promise<void> => {
    setDone((await post(of.text, of.etag)).value);
    setChecked(undefined);
    await client.invalidateQueries({ predicate: isOfService });
  };
  return (
    <div className={styles["apply"]}>
      <FileText text={text} onGive={give} onFault={setError} disabled={isBusy} />
      <div>
        <Button kind="primary" busy={isBusy} disabled={text.trim() === ""} onClick={check}>
          {t("setup.check")}
        </Button>
      </div>
      {error !== undefined && <SetupProblem error={error} />}
      {checked !== undefined && <Plan plan={checked.plan} onApply={() => apply(checked)} />}
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
  const headers = shown === undefined ? {} : { "if-match": shown };
  const changesNothing = shown === undefined;
  const path = `/setup?dryRun=${String(changesNothing)}` as const;
  return postTagged<"POST /setup">(path, { body: { setup }, headers, changesNothing });
}

function Present() {
  const t = useTexts();
  const { data, error, refetch } = useQuery({
    queryKey: ["setup"],
    queryFn: ({ signal }) => callApi<"GET /setup">("GET", "/setup", { signal }),
  });
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Waiting />;
  return (
    <div className={styles["present"]}>
      <div>
        <Button onClick={() => save(data.setup)}>{t("setup.download")}</Button>
      </div>
      <pre dir="ltr" tabIndex={0} aria-label={t("setup.present")}>
        <code>{data.setup}</code>
      </pre>
    </div>
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
