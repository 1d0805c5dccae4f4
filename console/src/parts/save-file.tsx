// Everything that a list would show, as a file for spreadsheets or programs. The browser saves it
// while it comes.
import { type Query, queryOf } from "../api/client.ts";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import { FormDialog } from "./form-dialog.tsx";

interface SaveFileProps {
  /** Of the API, without the ending. */
  readonly path: string;
  readonly values?: Query;
}

export function SaveFile({ path, values = {} }: SaveFileProps) {
  const t = useTexts();
  const language = useLanguage();
  const save = (form: unknown): void => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const query = form === "raw" ? { ...values, raw: "true" } : { ...values, language, timeZone };
    const link = document.createElement("a");
    link.href = `/console/api${path}.${form === "xlsx" ? "xlsx" : "csv"}${queryOf(query)}`;
    link.download = "";
    link.click();
  };
  return (
    <FormDialog
      button={t("list.file")}
      title={t("list.file")}
      lead={t("list.fileLead")}
      specs={[
        {
          name: "form",
          label: t("list.fileForm"),
          kind: "choice",
          options: (["xlsx", "csv", "raw"] as const).map((value) => ({ value, text: t(`list.fileForm.${value}`) })),
        },
      ]}
      initial={{ form: "xlsx" }}
      onSubmit={({ form }) => {
        save(form);
        return Promise.resolve();
      }}
    />
  );
}
