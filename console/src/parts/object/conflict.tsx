// Somebody else has changed the object since the form was opened: who and when, and the way on that loses nothing.
import { useQuery } from "@tanstack/react-query";
import { callApi, queryOf } from "../../api/client.ts";
import { useAble } from "../../frame/person.ts";
import { useTexts } from "../../texts/texts.ts";
import { Button } from "../button.tsx";
import { Moment } from "../moment.tsx";
import { Notice } from "../notice.tsx";

interface Change {
  readonly at: string;
  readonly who: string;
}

export interface ConflictProps {
  /** As the audit names it. */
  readonly kind: string;
  readonly name: string;
  readonly onReload: () => void;
}

export function Conflict({ kind, name, onReload }: ConflictProps) {
  const t = useTexts();
  const mayAsk = useAble("audit");
  const { data } = useQuery({
    queryKey: ["last change", kind, name],
    queryFn: ({ signal }) =>
      callApi<{ readonly items: readonly Change[] }>("GET", `/audit${queryOf({ kind, name, count: 1 })}`, { signal }),
    enabled: mayAsk,
    staleTime: 0,
    gcTime: 0,
  });
  const last = data?.items[0];
  return (
    <Notice
      kind="attention"
      role="alert"
      action={
        <Button kind="plain" onClick={onReload}>
          {t("object.loadAnew")}
        </Button>
      }
    >
      {last === undefined ? (
        t("object.changedMeanwhile")
      ) : (
        <>
          {t("object.changedBy", { who: last.who })} <Moment at={last.at} ago />.
        </>
      )}{" "}
      {t("object.nothingLost")}
    </Notice>
  );
}
