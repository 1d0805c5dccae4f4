// What the message says. Customers see their own; staff ask for it, where their role allows it, and
// that is audited.
import { useMutation, useQuery } from "@tanstack/react-query";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { useAble } from "../../frame/person.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Section } from "../../parts/section.tsx";
import { TextErased } from "../../parts/text-erased.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./message-text.module.css";

export function MessageText({ id }: { readonly id: string }) {
  const isOwn = useAble("look");
  const mayAsk = useAble("texts");
  if (isOwn) return <OwnText id={id} />;
  return mayAsk ? <HiddenText id={id} /> : null;
}

type FoundText = Answers["GET /messages/{id}/text"];

function findText(id: string, signal?: AbortSignal): Promise<FoundText> {
  return callApi<"GET /messages/{id}/text">("GET", `/messages/${encodeURIComponent(id)}/text`, { signal });
}

function OwnText({ id }: { readonly id: string }) {
  const t = useTexts();
  const text = useQuery({ queryKey: ["text", id], queryFn: ({ signal }) => findText(id, signal), staleTime: Infinity });
  return (
    <Section title={t("message.text")}>
      {text.isError && <Problem error={text.error} onRetry={() => void text.refetch()} />}
      {text.data !== undefined && <Bubble found={text.data} />}
    </Section>
  );
}

function HiddenText({ id }: { readonly id: string }) {
  const t = useTexts();
  const asked = useMutation({ mutationFn: () => findText(id) });
  return (
    <Section title={t("message.text")}>
      {asked.isError && <Problem error={asked.error} />}
      {asked.data === undefined ? (
        <div className={styles["ask"]}>
          <p>{t("message.textHidden")}</p>
          <Button busy={asked.isPending} onClick={() => asked.mutate()}>
            {t("message.showText")}
          </Button>
        </div>
      ) : (
        <Bubble found={asked.data} />
      )}
    </Section>
  );
}

function Bubble({ found: { content, contentErased } }: { readonly found: FoundText }) {
  return (
    <p className={styles["text"]} dir="auto">
      {contentErased === true ? <TextErased /> : content}
    </p>
  );
}
