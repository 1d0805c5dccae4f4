// A file that a person chooses. The browser's own button speaks the browser's language, so ours
// stands in its place.
import { useId, useState } from "react";
import { useTexts } from "../texts/texts.ts";
import buttonStyles from "./button.module.css";
import fieldStyles from "./field.module.css";
import styles from "./file-field.module.css";

export interface FileFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Endings, as `accept` takes them. */
  readonly accept: string;
  readonly disabled?: boolean;
  readonly onChoose: (file: File) => void;
}

export function FileField({ label, hint, accept, disabled = false, onChoose }: FileFieldProps) {
  const t = useTexts();
  const id = useId();
  const [name, setName] = useState<string>();
  return (
    <div className={fieldStyles["field"]}>
      <label htmlFor={id}>{label}</label>
      <div className={styles["choice"]}>
        <input
          id={id}
          type="file"
          className="visuallyHidden"
          accept={accept}
          disabled={disabled}
          aria-describedby={`${id}-name${hint === undefined ? "" : ` ${id}-note`}`}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            // The same file is read again once it was edited.
            target.value = "";
            if (file === undefined) return;
            setName(file.name);
            onChoose(file);
          }}
        />
        <label
          htmlFor={id}
          aria-hidden="true"
          data-disabled={disabled}
          className={[buttonStyles["button"], styles["button"]].join(" ")}
        >
          {t("file.choose")}
        </label>
        <bdi id={`${id}-name`} className={styles["name"]}>
          {name ?? t("file.none")}
        </bdi>
      </div>
      {hint !== undefined && (
        <p id={`${id}-note`} className={fieldStyles["hint"]}>
          {hint}
        </p>
      )}
    </div>
  );
}
