// The two tests of a stored link: its bind, and a message of a named account, which is an ordinary
// one and is charged.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { callApi, Refused } from "../../api/client.ts";
import { callOnce, isOfOtherCall, keptCall } from "../../api/open-call.ts";
import { choicesOf, useAccountNames, useLineNumbers } from "../../api/queries.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button, Select } from "../../parts/controls.tsx";
import { shownText } from "../../parts/field-spec.ts";
import { withOwn } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Fields } from "../../parts/merge-typed.ts";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Figure, Rials } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./network.module.css";

export function TestDialog({ name }: { readonly name: string }) {
  const t = useTexts();
  // Each connector has its own.
  const call = `test-message.${name}`;
  return (
    <FormDialog
      button={t("connectors.test")}
      kind="quiet"
      title={t("connectors.testTitle", { name })}
      lead={t("connectors.testLead")}
      submit={t("connectors.testSend")}
      initial={keptCall(call)?.typed ?? { content: t("connectors.testText") }}
      specs={[
        {
          name: "account",
          label: t("connectors.testAccount"),
          kind: "json",
          isLabelled: true,
          control: (value, problem) => <AccountChoice stored={shownText(value)} problem={problem} />,
        },
        {
          name: "senderNumber",
          label: t("message.line"),
          kind: "json",
          isLabelled: true,
          control: (value, problem) => <LineChoice stored={shownText(value)} problem={problem} />,
        },
        {
          name: "recipientNumber",
          label: t("message.recipient"),
          kind: "text",
          required: true,
          typing: { dir: "ltr", inputMode: "tel" },
        },
        { name: "content", label: t("message.text"), kind: "text", required: true },
      ]}
      onSubmit={async (given) => {
        const typed = Object.fromEntries(Object.entries(given).map(([field, value]) => [field, shownText(value)]));
        const body = { ...typed, recipientNumber: asciiDigits(shownText(given["recipientNumber"])) };
        const sent = await callOnce(call, typed, (key) =>
          callApi("POST /connectors/{name}/test-message", { params: { name }, body, key }),
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
      {() => (
        <>
          <KeptNotice call={call} />
          <BindTest name={name} settings={() => callApi("GET /connectors/{name}", { params: { name } })} />
        </>
      )}
    </FormDialog>
  );
}

/** As the form opened: a call before may have been made. */
function KeptNotice({ call }: { readonly call: string }) {
  const t = useTexts();
  const [kept] = useState(() => keptCall(call));
  return kept !== undefined && <Notice kind="attention">{t("problem.repeatable")}</Notice>;
}

interface ChoiceProps {
  readonly stored: string;
  readonly problem: string | undefined;
}

function AccountChoice(props: ChoiceProps) {
  const t = useTexts();
  return <NameChoice name="account" label={t("connectors.testAccount")} names={useAccountNames()} {...props} />;
}

function LineChoice(props: ChoiceProps) {
  const t = useTexts();
  return <NameChoice name="senderNumber" label={t("message.line")} names={useLineNumbers()} {...props} />;
}

interface NameChoiceProps extends ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly names: readonly string[];
}

/** The names come after the form is open. */
function NameChoice({ name, label, names, stored, problem }: NameChoiceProps) {
  const [chosen, setChosen] = useState(stored);
  const value = chosen === "" ? (names[0] ?? "") : chosen;
  return (
    <>
      <input type="hidden" name={name} value={JSON.stringify(value)} />
      <Select
        label={label}
        problem={problem}
        value={value}
        options={withOwn(choicesOf(names), value)}
        onChoose={setChosen}
      />
    </>
  );
}

export interface BindTestProps {
  /** Of the stored link; absent: a new one. */
  readonly name?: string | undefined;
  readonly settings: () => Fields | Promise<Fields>;
}

/** Tries a link as it is typed or stored, and shows each step in words. */
export function BindTest({ name, settings }: BindTestProps) {
  const t = useTexts();
  const { isPending, data, error, mutate } = useMutation({
    mutationFn: async () =>
      callApi("POST /connectors/test", {
        body: { ...(await settings()), ...(name !== undefined && { name }) },
        changesNothing: true,
      }),
  });
  return (
    <div className={styles["test"]}>
      <div>
        <Button busy={isPending} onClick={() => mutate()}>
          {t("bindTest.run")}
        </Button>
      </div>
      <div role="status">
        {isPending && <p className={styles["soft"]}>{t("bindTest.running")}</p>}
        {data !== undefined && (
          <ol ref={bringIntoView} className={styles["steps"]}>
            {data.steps.map(({ step, session, passed, ms, text }) => (
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
      {error !== null && (
        <div ref={bringIntoView}>
          <Problem error={error} />
        </div>
      )}
    </div>
  );
}

/** The form is longer than most screens, and the button may be the last that is seen of it. */
function bringIntoView(shown: HTMLElement | null): void {
  shown?.scrollIntoView({ block: "nearest" });
}
