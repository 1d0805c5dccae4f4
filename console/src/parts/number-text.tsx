// Figures to read, and numbers to copy: the first as the language writes them, the second always in
// ASCII and left to right.
import { dialled } from "../format/phone.ts";
import { formatNumber } from "../format/numbers.ts";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import styles from "./number-text.module.css";

export function Figure({ value }: { readonly value: number }) {
  return <>{formatNumber(useLanguage(), value)}</>;
}

/** `1,390 rials` */
export function Rials({ value }: { readonly value: number }) {
  const t = useTexts();
  const language = useLanguage();
  return <span className={styles["figure"]}>{t("money.rials", { amount: formatNumber(language, value) })}</span>;
}

/** A phone number, a line, an address of the network: as one dials or copies it. */
export function Dialled({ text }: { readonly text: string }) {
  const t = useTexts();
  // Of a person who was erased.
  if (text === "") return <em>{t("number.erased")}</em>;
  return (
    <bdi dir="ltr" className={styles["dialled"]}>
      {dialled(text)}
    </bdi>
  );
}

/** Names that programs give: in ASCII and left to right. */
export function Code({ text }: { readonly text: string }) {
  return (
    <bdi dir="ltr" className={styles["code"]}>
      {text}
    </bdi>
  );
}
