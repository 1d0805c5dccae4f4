// Stands in place of a text that was erased.
import { useTexts } from "../texts/texts.ts";

export function TextErased() {
  const t = useTexts();
  return <em>{t("message.textErased")}</em>;
}
