// Removes one object, after a question that names it and what its removal means.
import { useQueryClient } from "@tanstack/react-query";
import { useTexts } from "../../texts/texts.ts";
import { ConfirmRemoval } from "../confirm-removal.tsx";
import { isOfService, pathOf, type ObjectKind } from "./object-dialog.tsx";

export interface RemoveObjectProps {
  readonly kind: ObjectKind;
  readonly name: string;
  /** What it means for messages. */
  readonly text: string;
  /** Where to, when the page was that of the object. */
  readonly onRemoved?: () => void;
}

export function RemoveObject({ kind, name, text, onRemoved }: RemoveObjectProps) {
  const t = useTexts();
  const client = useQueryClient();
  return (
    <ConfirmRemoval
      button={t("object.remove")}
      title={t("object.removeTitle", { name })}
      text={text}
      path={pathOf(kind, name)}
      onRemoved={async () => {
        // The page of a removed object must not ask for it again. The next page asks for what it
        // shows.
        const refetchType = onRemoved === undefined ? "active" : "none";
        await client.invalidateQueries({ predicate: isOfService, refetchType });
        onRemoved?.();
      }}
    />
  );
}
