// Somebody else has changed the object since the form was opened: who and when, and the way on that
// loses nothing.
import type { LastChange } from "../../api/client.ts";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { Button } from "../button.tsx";
import { Moment } from "../moment.tsx";
import { Notice } from "../notice.tsx";
import { whoText } from "../who.ts";

export interface ConflictProps {
  /** As the API tells it; absent where the audit does not say. */
  readonly change: LastChange | undefined;
  /** Goes on with the present state and what was typed. Absent: there is nothing typed to keep. */
  readonly onReload?: (() => void) | undefined;
}

export function Conflict({ change, onReload }: ConflictProps) {
  const t = useTexts();
  return (
    <Notice
      kind="attention"
      role="alert"
      action={
        onReload && (
          <Button kind="plain" onClick={onReload}>
            {t("object.loadAnew")}
          </Button>
        )
      }
    >
      {change === undefined ? (
        t("object.changedMeanwhile")
      ) : (
        <>
          {changeText(t, change)} <Moment at={change.at} ago />.
        </>
      )}{" "}
      {t(onReload === undefined ? "object.nothingStored" : "object.nothingLost")}
    </Notice>
  );
}

/**
 * What a form says that was filled from a state that is gone; a new object may have been made by
 * somebody else.
 */
export function Stale({ isNew, ...conflict }: ConflictProps & { readonly isNew: boolean }) {
  const t = useTexts();
  if (!isNew) return <Conflict {...conflict} />;
  return (
    <Notice kind="alarm" role="alert">
      {t("object.thereAlready")}
    </Notice>
  );
}

function changeText(t: Translate, { who, action }: LastChange): string {
  const isRemoved = action === "remove";
  if (who === undefined) return t(isRemoved ? "object.removedByService" : "object.changedByService");
  return t(isRemoved ? "object.removedBy" : "object.changedBy", { who: whoText(t, who) });
}
