// What a call to the API failed with, in words that say what to do.
import { ApiProblem, Misleading, Refused, Unreachable } from "../api/client.ts";
import { useTexts, type Translate } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Conflict } from "./object/conflict.tsx";
import { Notice } from "./notice.tsx";

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

export interface ProblemProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

export function Problem({ error, onRetry }: ProblemProps) {
  const t = useTexts();
  if (error instanceof ApiProblem && error.isStale) return <Conflict change={error.lastChange} />;
  return (
    <Notice kind="alarm" role="alert" action={onRetry && <Button onClick={onRetry}>{t("problem.retry")}</Button>}>
      {problemText(t, error)}
    </Notice>
  );
}
