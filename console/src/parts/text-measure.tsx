// What a text costs in parts while it is typed, counted by the rules that the gateway sends by.
import { costlyCharacters, segmentText } from "../../../src/sms/segmentation.ts";
import { chooseEncoding } from "../../../src/sms/text-kind.ts";
import type { Answers } from "../api/types.ts";
import { useTexts } from "../texts/texts.ts";
import { Notice } from "./problem.tsx";
import styles from "./text-measure.module.css";

export function TextMeasure({ text, maximumParts }: { readonly text: string; readonly maximumParts: number }) {
  const t = useTexts();
  const encoding = chooseEncoding(text);
  const parts = segmentText(text, encoding);
  return (
    <div className={styles["measure"]}>
      <p role="status" className={parts.length > maximumParts ? styles["tooLong"] : undefined}>
        {[
          t("count.characters", { count: text.length }),
          t("count.parts", { count: parts.length }),
          t(`send.encoding.${encoding}`),
        ].join(t("list.comma"))}
      </p>
      <CostlyCharacters text={text} />
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

/** Why a text takes more parts than it looks. */
function CostlyCharacters({ text }: { readonly text: string }) {
  const t = useTexts();
  const costly = costlyCharacters(text);
  const [first] = costly;
  return first === undefined ? null : (
    <p>
      {t(`send.costly.${first.reason}`)}{" "}
      {costly.map(({ character, codePoint, position }) => (
        <bdi key={codePoint} dir="ltr" className={styles["costly"]}>
          {named(character, codePoint)} ({position})
        </bdi>
      ))}
    </p>
  );
}

/** Some characters cannot be seen. */
function named(character: string, codePoint: string): string {
  return character.trim() === "" ? codePoint : `${character} ${codePoint}`;
}

/** The same of all rows of a campaign. */
export function CostlyInRows({ costly }: Pick<Answers["GET /campaigns/{id}/samples"], "costly">) {
  const t = useTexts();
  return costly.length === 0 ? null : (
    <Notice kind="attention">
      {t("campaign.costly")}
      <ul>
        {costly.map(({ character, codePoint, rows, row, position }) => (
          <li key={codePoint}>
            <bdi dir="ltr">{named(character, codePoint)}</bdi>: {t("campaign.costlyPlace", { rows, row, position })}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
