// Whether a template may be used: a word, a shape and a colour.
import type { ListedTemplate } from "../../api/templates.ts";
import { StateSign, type MessageState } from "../../parts/state.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./templates.module.css";

const signs: Readonly<Record<ListedTemplate["state"], MessageState>> = {
  pending: "waiting",
  approved: "delivered",
  refused: "unsent",
};

export function TemplateState({ template: { state, refused } }: { readonly template: ListedTemplate }) {
  const t = useTexts();
  return (
    <>
      <span className={styles["state"]}>
        <StateSign state={signs[state]} />
        {t(`template.state.${state}`)}
      </span>
      {refused !== undefined && (
        <div className={styles["reason"]} dir="auto">
          {refused}
        </div>
      )}
    </>
  );
}
