// What the message says. Customers see their own; staff ask for it, where their role allows it, and that is audited.
import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../api/client.ts";
import { useAble } from "../../frame/person.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Section } from "../../parts/section.tsx";
import { useTexts } from "../../texts/texts.ts";
import type { MessageLife } from "./message-life.ts";
import styles from "./message-text.module.css";

export function MessageText({ message: { id, text } }: { readonly message: MessageLife }) {
  const t = useTexts();
  const mayAsk = useAble("texts");
  const asked = useMutation({
    mutationFn: () => callApi<{ readonly text: string }>("GET", `/messages/${encodeURIComponent(id)}/text`),
  });
  const shown = text ?? asked.data?.text;
  if (shown === undefined && !mayAsk) return null;
  return (
    <Section title={t("message.text")}>
      {asked.isError && <Problem error={asked.error} />}
      {shown === undefined ? (
        <div className={styles["ask"]}>
          <p>{t("message.textHidden")}</p>
          <Button busy={asked.isPending} onClick={() => asked.mutate()}>
            {t("message.showText")}
          </Button>
        </div>
      ) : (
        <p className={styles["text"]} dir="auto">
          {shown}
        </p>
      )}
    </Section>
  );
}
