// Notices, and what a call to the API failed with, in words that say what to do.
import { Component, type ReactNode } from "react";
import { ApiProblem, type LastChange, Misleading, Refused, Unreachable } from "../api/client.ts";
import { useLostSince } from "../api/connection.ts";
import { isolated, type Translate, useTexts } from "../texts/texts.ts";
import { Button } from "./controls.tsx";
import { Icon } from "./icon.tsx";
import { Moment } from "./values.tsx";
import styles from "./notice.module.css";

interface NoticeProps {
  readonly kind: "alarm" | "attention" | "calm";
  readonly children: ReactNode;
  /** What can be done about it, at the end of the line. */
  readonly action?: ReactNode;
  readonly role?: "alert" | "status";
}

export function Notice({ kind, children, action, role }: NoticeProps) {
  return (
    <div className={styles["notice"]} data-kind={kind} role={role}>
      <Icon name={kind === "calm" ? "check" : "warning"} />
      <div className={styles["text"]}>{children}</div>
      {action !== undefined && <div className={styles["action"]}>{action}</div>}
    </div>
  );
}

// What a call to the API failed with, in words that say what to do.

const lostTexts = {
  none: "problem.unreachable",
  done: "problem.doubt",
  repeatable: "problem.repeatable",
} as const;

export function problemText(t: Translate, error: unknown): string {
  if (error instanceof Unreachable) return t(lostTexts[error.doubt]);
  if (error instanceof Refused) return error.message;
  if (error instanceof Misleading) return t("problem.name");
  if (!(error instanceof ApiProblem)) return t("problem.page");
  const fields = error.fields.map(({ field, errorMessage }) => `${field}: ${errorMessage}`);
  return [error.message === "" ? t("problem.status", { status: error.status }) : error.message, ...fields].join(" ");
}

interface ProblemProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

export function Problem({ error, onRetry }: ProblemProps) {
  const t = useTexts();
  if (error instanceof ApiProblem && error.isStale) return <Conflict change={error.lastChange} />;
  return (
    <Notice kind="alarm" role="alert" action={onRetry && <Button onClick={onRetry}>{t("problem.retry")}</Button>}>
      {problemText(t, error)} {error instanceof ApiProblem && <ErrorLink code={error.code} />}
    </Notice>
  );
}

/** Causes of an error and what to do, in the guides. */
export function ErrorLink({ code }: { readonly code: number | undefined }) {
  const t = useTexts();
  if (code === undefined) return null;
  return (
    <a href={`/docs/errors/${code}`} target="_blank" rel="noreferrer">
      {t("problem.code", { code: String(code) })}
    </a>
  );
}

// Somebody else has changed the object since the form was opened: who and when, and the way on that
// loses nothing.

interface ConflictProps {
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
  // Customers are not told who of the staff.
  const named = who === undefined ? t("who.service") : whoText(t, who);
  return t(action === "remove" ? "object.removedBy" : "object.changedBy", { who: named });
}

// A page that fails says so, and the rest of the console stays.

interface Failure {
  readonly error?: unknown;
}

export class Guarded extends Component<{ readonly children: ReactNode }, Failure> {
  override state: Failure = {};

  static getDerivedStateFromError(error: unknown): Failure {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <Failed error={error} />;
  }
}

/** A page that could not be loaded comes by itself when the gateway is back (api/connection.ts). */
function Failed({ error }: { readonly error: unknown }) {
  const isLost = useLostSince() !== undefined;
  return <Problem error={isLost ? new Unreachable(error, "none") : error} />;
}

// Somebody as the audit names them (`staff:NAME`, `user:ACCOUNT/NAME`, `key:ACCOUNT/NAME`,
// `command:OSUSER@HOST`, `gateway`), as a person reads it.

export function whoText(t: Translate, who: string): string {
  const [, kind = "", name = who] = /^(\w+):(.*)$/s.exec(who) ?? [];
  // Names keep their own direction within a sentence (Unicode's first strong isolate).
  const known = isolated(name);
  if (who === "gateway") return t("who.gateway");
  if (kind === "key") return t("who.key", { name: known });
  if (kind === "command") return t("who.command", { name: known });
  return known;
}
