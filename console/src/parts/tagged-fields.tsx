// The fields of a form that changes one object: read when the form opens, with the tag that the
// change is to name.
import { type ReactNode, createContext, useContext, useLayoutEffect, useRef } from "react";
import type { PathOf, Readable } from "../api/client.ts";
import type { Answers } from "../api/endpoints.ts";
import { useTagged } from "../api/queries.ts";
import { formText } from "./controls.tsx";
import { useFollowStored } from "./follow-stored.ts";
import { Problem } from "./problem.tsx";
import { Waiting } from "./table.tsx";

export interface TaggedFieldsProps<Name extends Readable> {
  readonly path: PathOf<Name>;
  readonly children: (value: Answers[Name]) => ReactNode;
}

/** How the fields tell their form that they are not there yet: until then it must not be sent. */
export const TellUnread = createContext<(isUnread: boolean) => void>(() => undefined);

export function TaggedFields<Name extends Readable>({ path, children }: TaggedFieldsProps<Name>) {
  const { data, error, refetch } = useTagged<Name>(path);
  const anchor = useRef<HTMLInputElement>(null);
  useFollowStored(anchor);
  const tellUnread = useContext(TellUnread);
  const isUnread = data === undefined;
  // Before the first paint, so that nobody can be faster.
  useLayoutEffect(() => {
    tellUnread(isUnread);
    return () => tellUnread(false);
  }, [tellUnread, isUnread]);
  // Fields that are there stay when they cannot be read again: something may be typed in them.
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Waiting />;
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
