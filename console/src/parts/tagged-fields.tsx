// The fields of a form that changes one object: read when the form opens, with the tag that the
// change is to name.
import { useRef, type ReactNode } from "react";
import { useTagged } from "../api/use-tagged.ts";
import { Waiting } from "./endless-list.tsx";
import { useFollowStored } from "./follow-stored.ts";
import { formText } from "./form-text.ts";
import { Problem } from "./problem.tsx";

export interface TaggedFieldsProps<Value> {
  readonly path: string;
  readonly children: (value: Value) => ReactNode;
}

export function TaggedFields<Value>({ path, children }: TaggedFieldsProps<Value>) {
  const { data, error, refetch } = useTagged<Value>(path);
  const anchor = useRef<HTMLInputElement>(null);
  useFollowStored(anchor);
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Waiting />;
  return (
    <>
      <input ref={anchor} type="hidden" name="etag" value={data.etag} />
      {children(data.value)}
    </>
  );
}

/** What the form was filled with. */
export function tagOf(form: HTMLFormElement): { readonly etag: string } {
  return { etag: formText(form, "etag") };
}
