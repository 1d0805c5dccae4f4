// How a program sends: a sample that works as it is, but for the key.
import { useState } from "react";
import { Link } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import { useAble, usePerson } from "../../frame/person.ts";
import { Button, Select } from "../../parts/controls.tsx";
import { PageHead } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useCopy } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import { keyPlaceholder, type Sample, samples } from "./samples.ts";
import styles from "./code.module.css";

const lineToFill = "YOUR_LINE";

export function CodePage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  const mayMakeKeys = useAble("manage");
  const own = useAnswer("GET /accounts/{name}", { params: { name: account } });
  const lines = own.data?.lines ?? [];
  const [name, setName] = useState<string>(samples[0].name);
  const [chosenLine, setLine] = useState<string>();
  const line = chosenLine ?? lines[0] ?? lineToFill;
  const sample: Sample = samples.find((each) => each.name === name) ?? samples[0];
  return (
    <>
      <PageHead
        title={t("code.title")}
        lead={t("code.lead", { placeholder: keyPlaceholder })}
        actions={<>{mayMakeKeys && <Link href="/keys">{t("keys.title")}</Link>}</>}
      />
      {own.isError && <Problem error={own.error} onRetry={() => void own.refetch()} />}
      <div className={styles["choices"]}>
        <Select
          label={t("code.language")}
          value={name}
          onChoose={setName}
          options={samples.map((each) => ({ value: each.name, text: each.name }))}
        />
        {lines.length > 1 && (
          <Select
            label={t("message.line")}
            value={line}
            onChoose={setLine}
            options={lines.map((each) => ({ value: each, text: each }))}
          />
        )}
      </div>
      <CodeText name={name} text={sample.text({ base: window.location.origin, line })} />
      <p className={styles["note"]}>{t("code.answer")}</p>
    </>
  );
}

function CodeText({ name, text }: { readonly name: string; readonly text: string }) {
  const t = useTexts();
  const [copied, copy] = useCopy(text);
  return (
    <div className={styles["sample"]}>
      <Button onClick={copy}>
        <span aria-live="polite">{t(copied ? "copy.copied" : "code.copy")}</span>
      </Button>
      <pre dir="ltr" tabIndex={0} aria-label={name}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
