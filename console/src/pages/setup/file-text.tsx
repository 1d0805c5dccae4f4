// A setup file, chosen or pasted, as text that can be edited before it is checked.
import { useId } from "react";
import fieldStyles from "../../parts/field.module.css";
import { FileField } from "../../parts/file-field.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./setup.module.css";

export interface FileTextProps {
  readonly text: string;
  readonly disabled: boolean;
  readonly onGive: (text: string) => void;
  readonly onFault: (error: unknown) => void;
}

export function FileText({ text, disabled, onGive, onFault }: FileTextProps) {
  const t = useTexts();
  const id = useId();
  return (
    <>
      <FileField
        label={t("setup.file")}
        accept=".yaml,.yml,.json"
        disabled={disabled}
        onChoose={(file) => void file.text().then(onGive, onFault)}
      />
      <div className={fieldStyles["field"]}>
        <label htmlFor={`${id}-text`}>{t("setup.text")}</label>
        <textarea
          id={`${id}-text`}
          className={[fieldStyles["long"], styles["text"]].join(" ")}
          dir="ltr"
          rows={10}
          spellCheck={false}
          disabled={disabled}
          value={text}
          onChange={({ target }) => onGive(target.value)}
        />
      </div>
    </>
  );
}
