// The text of a template, with its placeholders marked. Their Latin names do not decide its
// direction: what has one of its own is passed over.
import styles from "./templates.module.css";

const placeholder = /(\{[\p{L}\p{Nd}_-]+\})/u;

export function TemplateText({ text }: { readonly text: string }) {
  return (
    <span dir="auto" className={styles["text"]}>
      {text.split(placeholder).map((piece, index) =>
        index % 2 === 1 ? (
          <mark key={`${index}${piece}`} dir="ltr">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </span>
  );
}
