// The two tests of a stored link: its bind, and a message of a named account, which is an ordinary
// one and is charged.
import { useState } from "react";
import { Link } from "wouter";
import { callApi, Refused } from "../../api/client.ts";
import { callOnce, isOfOtherCall, keptCall, type Typed } from "../../api/open-call.ts";
import { getTagged } from "../../api/tagged.ts";
import { useAccountNames, useLineNumbers } from "../../api/objects.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { Notice } from "../../parts/notice.tsx";
import { Rials } from "../../parts/number-text.tsx";
import { Select } from "../../parts/select.tsx";
import { useTexts } from "../../texts/texts.ts";
import { BindTest } from "./bind-test.tsx";

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
