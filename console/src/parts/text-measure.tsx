// What a text costs in parts while it is typed, counted by the rules that the gateway sends by.
import { isGsm7 } from "../../../src/sms/gsm7-alphabet.ts";
import { segmentText } from "../../../src/sms/segmentation.ts";
import { chooseEncoding } from "../../../src/sms/text-kind.ts";
import { useTexts } from "../texts/texts.ts";
import styles from "./text-measure.module.css";

export function TextMeasure({ text, maximumParts }: { readonly text: string; readonly maximumParts: number }) {
  const t = useTexts();
  const encoding = chooseEncoding(text);
  const parts = segmentText(text, encoding);
  const culprit = encoding === "ucs2" ? Array.from(text).find((character) => !isGsm7(character)) : undefined;
  return (
    <div className={styles["measure"]}>
      <p role="status" className={parts.length > maximumParts ? styles["tooLong"] : undefined}>
        {t("count.characters", { count: text.length })} · {t("count.parts", { count: parts.length })} ·{" "}
        {t(`send.encoding.${encoding}`)}
        {culprit !== undefined && (
          <>
            {" "}
            ({t("send.because")} <bdi>{culprit}</bdi>)
          </>
        )}
      </p>
      {text !== "" && (
        <div className={styles["bubble"]} dir="auto">
          {parts.map((part, index) => (
            // Parts have no other name than their place.
            <span key={index} className={styles["part"]}>
              {part}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
