// A setup file, chosen or pasted, as text that can be edited before it is checked.
import { useId } from "react";
import fieldStyles from "../../parts/field.module.css";
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
      <div className={fieldStyles["field"]}>
        <label htmlFor={`${id}-file`}>{t("setup.file")}</label>
        <input
          id={`${id}-file`}
          type="file"
          accept=".yaml,.yml,.json"
          disabled={disabled}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            // The same file is read again once it was edited.
            target.value = "";
            file?.text().then(onGive, onFault);
          }}
        />
      </div>
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
