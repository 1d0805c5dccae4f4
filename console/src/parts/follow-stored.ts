// When a form is read again, the fields that nobody has touched take the newly stored values. A
// browser keeps the first value of a field even if its default changes, so these fields are filled
// again.
import { useLayoutEffect, useRef, type RefObject } from "react";

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function isControl(element: Element): element is Control {
  return ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName);
}

function isBox(control: Control): control is HTMLInputElement {
  return control.type === "checkbox" || control.type === "radio";
}

/** Undefined: it is not filled from what is stored. */
function storedIn(control: Control): string | undefined {
  if (isBox(control)) return String(control.defaultChecked);
  // Browsers know no default of a list (select.tsx).
  return "defaultValue" in control ? control.defaultValue : control.dataset["stored"];
}

function shownIn(control: Control): string {
  return isBox(control) ? String(control.checked) : control.value;
}

function fill(control: Control, value: string): void {
  if (isBox(control)) control.checked = value === "true";
  else control.value = value;
}

/** `anchor`: something in the form, rendered with its fields. */
export function useFollowStored(anchor: RefObject<HTMLInputElement | null>): void {
  const last = useRef(new WeakMap<Control, string>());
  useLayoutEffect(() => {
    for (const control of [...(anchor.current?.form?.elements ?? [])].filter(isControl)) {
      const [before, stored] = [last.current.get(control), storedIn(control)];
      if (stored === undefined) continue;
      last.current.set(control, stored);
      if (before !== undefined && before !== stored && shownIn(control) === before) fill(control, stored);
    }
  });
}
