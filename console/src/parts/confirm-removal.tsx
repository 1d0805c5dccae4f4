// Removes one object after a question. Its state is read as the question opens: what somebody
// changes meanwhile is not removed unseen.
import { deleteTagged } from "../api/client.ts";
import { Confirm, type ConfirmProps } from "./confirm.tsx";
import { TaggedFields, tagOf } from "./tagged-fields.tsx";

export interface ConfirmRemovalProps extends Pick<ConfirmProps, "button" | "title" | "text"> {
  /** Of the object. */
  readonly path: string;
  readonly onRemoved: () => Promise<void>;
}

export function ConfirmRemoval({ path, onRemoved, ...question }: ConfirmRemovalProps) {
  return (
    <Confirm
      {...question}
      onConfirm={async (form) => {
        await deleteTagged(path, tagOf(form));
        await onRemoved();
      }}
    >
      {/* Only its tag counts. */}
      <TaggedFields<never> path={path}>{() => null}</TaggedFields>
    </Confirm>
  );
}
