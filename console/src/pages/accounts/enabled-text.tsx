// Whether something is on: a word and a shape.
import { useTexts } from "../../texts/texts.ts";
import styles from "./enabled-text.module.css";

export function EnabledText({ isEnabled }: { readonly isEnabled: boolean }) {
  const t = useTexts();
  return (
    <span className={isEnabled ? styles["on"] : styles["off"]}>{t(isEnabled ? "enabled.on" : "enabled.off")}</span>
  );
}
