// The two tests of a stored link: its bind, and a message of a named account, which is an ordinary
// one and is charged.
import { useState } from "react";
import { Link } from "wouter";
import { Refused, callApi, getTagged } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { type Typed, callOnce, isOfOtherCall, keptCall } from "../../api/open-call.ts";
import { useAccountNames, useLineNumbers } from "../../api/queries.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button, Field, Select, formText } from "../../parts/controls.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Fields } from "../../parts/object/merge-typed.ts";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Figure, Rials } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./network.module.css";

const fields = ["account", "senderNumber", "recipientNumber", "content"] as const;

export function TestDialog({ name }: { readonly name: string }) {
  const t = useTexts();
  return (
    <FormDialog
      button={t("connectors.test")}
      kind="quiet"
      title={t("connectors.testTitle", { name })}
      lead={t("connectors.testLead")}
      submit={t("connectors.testSend")}
      fields={fields}
      onSubmit={async (form) => {
        const typed: Typed = Object.fromEntries(fields.map((field) => [field, formText(form, field)]));
        const body = { ...typed, recipientNumber: asciiDigits(formText(form, "recipientNumber")) };
        const sent = await callOnce(callName(name), typed, (key) =>
          callApi<"POST /connectors/{name}/test-message">(
            "POST",
            `/connectors/${encodeURIComponent(name)}/test-message`,
            {
              body,
              headers: { "idempotency-key": key },
            },
          ),
        ).catch((error: unknown) => {
          throw isOfOtherCall(error) ? new Refused(t("send.otherWasSent")) : error;
        });
        return (
          <p>
            {t("connectors.testSent")} <Rials value={sent.cost} />.{" "}
            <Link href={`/messages/${sent.sentMessageId}`}>{t("connectors.testLife")}</Link>
          </p>
        );
      }}
    >
      {(problemOf) => <TestFields name={name} problemOf={problemOf} />}
    </FormDialog>
  );
}

/** Each connector has its own. */
const callName = (connector: string): string => `test-message.${connector}`;

interface TestFieldsProps {
  readonly name: string;
  readonly problemOf: (field: string) => string | undefined;
}

function TestFields({ name, problemOf }: TestFieldsProps) {
  const t = useTexts();
  const [kept] = useState(() => keptCall(callName(name)));
  const typed: Typed = kept?.typed ?? {};
  const accounts = useAccountNames().map((value) => ({ value, text: value }));
  const lines = useLineNumbers().map((value) => ({ value, text: value }));
  return (
    <>
      <BindTest
        name={name}
        settings={async () =>
          (await getTagged<"GET /connectors/{name}">(`/connectors/${encodeURIComponent(name)}`)).value
        }
      />
      {kept !== undefined && <Notice kind="attention">{t("problem.repeatable")}</Notice>}
      {/* Drawn anew once the names are there, so that what was chosen is found among them. */}
      <Select
        key={`account ${accounts.length}`}
        label={t("connectors.testAccount")}
        name="account"
        options={accounts}
        defaultValue={typed["account"]}
      />
      {problemOf("account") !== undefined && <p>{problemOf("account")}</p>}
      <Select
        key={`line ${lines.length}`}
        label={t("trace.line")}
        name="senderNumber"
        options={lines}
        defaultValue={typed["senderNumber"]}
      />
      {problemOf("senderNumber") !== undefined && <p>{problemOf("senderNumber")}</p>}
      <Field
        label={t("connectors.testRecipient")}
        name="recipientNumber"
        dir="ltr"
        inputMode="tel"
        defaultValue={typed["recipientNumber"]}
        problem={problemOf("recipientNumber")}
        required
      />
      <Field
        label={t("trace.text")}
        name="content"
        dir="auto"
        defaultValue={typed["content"] ?? t("connectors.testText")}
        problem={problemOf("content")}
        required
      />
    </>
  );
}

// Tries a link as it is typed or stored, and shows each step in words.

type Outcome = Answers["POST /connectors/test"];

export interface BindTestProps {
  /** Of the stored link; absent: a new one. */
  readonly name?: string | undefined;
  readonly settings: () => Fields | Promise<Fields>;
}

export function BindTest({ name, settings }: BindTestProps) {
  const t = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<unknown>();
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setOutcome(undefined);
    try {
      const body = { ...(await settings()), ...(name !== undefined && { name }) };
      setOutcome(await callApi<"POST /connectors/test">("POST", "/connectors/test", { body, changesNothing: true }));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <div className={styles["test"]}>
      <div>
        <Button busy={isBusy} onClick={() => void run()}>
          {t("bindTest.run")}
        </Button>
      </div>
      <div role="status">
        {isBusy && <p className={styles["soft"]}>{t("bindTest.running")}</p>}
        {outcome !== undefined && (
          <ol className={styles["steps"]}>
            {outcome.steps.map(({ step, session, passed, ms, text }) => (
              <li key={`${session} ${step}`} className={passed ? styles["good"] : styles["bad"]}>
                <Icon name={passed ? "check" : "close"} />
                <span dir="auto">{text}</span>
                <span className={styles["soft"]}>
                  <Figure value={ms} /> {t("bindTest.ms")}
                </span>
              </li>
            ))}
          </ol>
        )}
      </div>
      {error !== undefined && <Problem error={error} />}
    </div>
  );
}
