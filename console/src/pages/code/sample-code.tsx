// One call in the language that a person chooses, with a button that copies it.
import { type ReactNode, useState } from "react";
import { codeSamples, type SampleCall, sampleText } from "../../../../src/texts/code-samples.ts";
import { Button, Select } from "../../parts/controls.tsx";
import { useCopy } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./code.module.css";

const programs = import.meta.glob<string>("./samples/*", { query: "?raw", import: "default", eager: true });

interface SampleCodeProps {
  readonly call: SampleCall;
  /** Other choices, beside that of the language. */
  readonly children?: ReactNode;
}

export function SampleCode({ call, children }: SampleCodeProps) {
  const t = useTexts();
  const [name, setName] = useState<string>("curl");
  const sample = codeSamples.find((each) => each.name === name);
  const text = sample === undefined ? "" : sampleText(programs[`./samples/${sample.file}`] ?? "", sample, call);
  const [copied, copy] = useCopy(text);
  return (
    <>
      <div className={styles["choices"]}>
        <Select
          label={t("code.language")}
          value={name}
          onChoose={setName}
          options={codeSamples.map((each) => ({ value: each.name, text: each.name }))}
        />
        {children}
      </div>
      <div className={styles["sample"]}>
        <Button onClick={copy}>
          <span aria-live="polite">{t(copied ? "copy.copied" : "code.copy")}</span>
        </Button>
        <pre dir="ltr" tabIndex={0} aria-label={name}>
          <code>{text}</code>
        </pre>
      </div>
      <p className={styles["note"]}>{t("code.answer")}</p>
    </>
  );
}
