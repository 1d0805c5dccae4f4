// The two tests of a stored link: its bind, and a message of a named account, which is an ordinary
// one and is charged.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { callApi, Refused } from "../../api/client.ts";
import { isOfOtherCall, newKey } from "../../api/open-call.ts";
import { choicesOf, useAccountNames, useLineNumbers } from "../../api/queries.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button } from "../../parts/controls.tsx";
import { shownText } from "../../parts/field-spec.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Fields } from "../../parts/merge-typed.ts";
import { Problem } from "../../parts/problem.tsx";
import { Figure, Rials } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./network.module.css";

export function TestDialog({ name }: { readonly name: string }) {
  const t = useTexts();
  const accounts = choicesOf(useAccountNames());
  const lines = choicesOf(useLineNumbers());
  // The same call with the same key does nothing a second time.
  const [key, setKey] = useState(newKey);
  return (
    <FormDialog
      button={t("connectors.test")}
      kind="quiet"
      title={t("connectors.testTitle", { name })}
      lead={t("connectors.testLead")}
      submit={t("connectors.testSend")}
      initial={{ content: t("connectors.testText") }}
      specs={[
        { name: "account", label: t("connectors.testAccount"), kind: "choice", options: accounts },
        { name: "senderNumber", label: t("message.line"), kind: "choice", options: lines },
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
        const body = { ...given, recipientNumber: asciiDigits(shownText(given["recipientNumber"])) };
        try {
          const params = { name };
          const sent = await callApi("POST /connectors/{name}/test-message", { params, body, key });
          setKey(newKey());
          return (
            <p>
              {t("connectors.testSent")} <Rials value={sent.cost} />.{" "}
              <Link href={`/messages/${sent.sentMessageId}`}>{t("connectors.testLife")}</Link>
            </p>
          );
        } catch (error) {
          if (!isOfOtherCall(error)) throw error;
          setKey(newKey());
          throw new Refused(t("send.otherWasSent"));
        }
      }}
    >
      {() => <BindTest name={name} settings={() => callApi("GET /connectors/{name}", { params: { name } })} />}
    </FormDialog>
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
