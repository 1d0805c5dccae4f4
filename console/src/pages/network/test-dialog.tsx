// The two tests of a stored link: its bind, and a message of a named account, which is an ordinary one and is charged.
import { useState } from "react";
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import { getTagged } from "../../api/tagged.ts";
import { useAccountNames, useLineNumbers } from "../../api/objects.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { Rials } from "../../parts/number-text.tsx";
import type { Fields } from "../../parts/object/merge-typed.ts";
import { Select } from "../../parts/select.tsx";
import { useTexts } from "../../texts/texts.ts";
import { BindTest } from "./bind-test.tsx";

interface Sent {
  readonly sentMessageId: string;
  readonly cost: number;
}

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
        const body = Object.fromEntries(fields.map((field) => [field, formText(form, field)]));
        const recipientNumber = asciiDigits(formText(form, "recipientNumber"));
        const sent = await callApi<Sent>("POST", `/connectors/${encodeURIComponent(name)}/test-message`, {
          body: { ...body, recipientNumber },
          headers: { "idempotency-key": formText(form, "key") },
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

/** One for each opening of the form: a second click sends nothing. Not randomUUID, which browsers keep from pages without TLS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((word) => word.toString(16).padStart(8, "0")).join("");
}

interface TestFieldsProps {
  readonly name: string;
  readonly problemOf: (field: string) => string | undefined;
}

function TestFields({ name, problemOf }: TestFieldsProps) {
  const t = useTexts();
  const [key] = useState(newKey);
  const accounts = useAccountNames().map((value) => ({ value, text: value }));
  const lines = useLineNumbers().map((value) => ({ value, text: value }));
  return (
    <>
      <BindTest
        name={name}
        settings={async () => (await getTagged<Fields>(`/connectors/${encodeURIComponent(name)}`)).value}
      />
      <input type="hidden" name="key" value={key} readOnly />
      <Select label={t("connectors.testAccount")} name="account" options={accounts} />
      {problemOf("account") !== undefined && <p>{problemOf("account")}</p>}
      <Select label={t("trace.line")} name="senderNumber" options={lines} />
      {problemOf("senderNumber") !== undefined && <p>{problemOf("senderNumber")}</p>}
      <Field
        label={t("connectors.testRecipient")}
        name="recipientNumber"
        dir="ltr"
        inputMode="tel"
        problem={problemOf("recipientNumber")}
        required
      />
      <Field
        label={t("trace.text")}
        name="content"
        dir="auto"
        defaultValue={t("connectors.testText")}
        problem={problemOf("content")}
        required
      />
    </>
  );
}
