// Everything that a list would show, as a file for spreadsheets. The browser saves it while it
// comes.
import { queryOf } from "../api/client.ts";
import { useTexts } from "../texts/texts.ts";
import styles from "./button.module.css";

export function FileLink({
  path,
  values,
}: {
  readonly path: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}) {
  const t = useTexts();
  return (
    <a className={styles["button"]} href={`/console/api${path}${queryOf(values)}`} download>
      {t("list.file")}
    </a>
  );
}
