// An id or number that people copy: in ASCII, left to right, shortened in the middle, copied whole
// with a click.
import { useEffect, useState } from "react";
import { useTexts } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";
import styles from "./copyable.module.css";

export interface CopyableProps {
  readonly text: string;
  /** What it is called where it is read out. */
  readonly name: string;
  /** Shown whole. */
  readonly whole?: boolean;
}

const shownMs = 1500;

export function Copyable({ text, name, whole = false }: CopyableProps) {
  const t = useTexts();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className={styles["copyable"]}
      title={text}
      onClick={() => {
        void copyText(text).then(setCopied);
      }}
    >
      <span className="visuallyHidden" aria-live="polite">
        {t(copied ? "copy.done" : "copy.name", { name })}
      </span>
      <bdi dir="ltr">{whole ? text : shortened(text)}</bdi>
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}

/** `0193a2b4…9f3c` */
export function shortened(text: string): string {
  return text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-4)}`;
}

/** The clipboard is there only behind https and on this machine; elsewhere the older way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way where there is no clipboard
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
