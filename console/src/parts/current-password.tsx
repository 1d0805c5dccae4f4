// The field for one's present password, asked for again before what cannot be taken back.
import { useTexts } from "../texts/texts.ts";
import { Field } from "./field.tsx";

export function CurrentPassword() {
  const t = useTexts();
  return (
    <Field
      label={t("password.current")}
      name="password"
      type="password"
      dir="ltr"
      autoComplete="current-password"
      required
    />
  );
}
