// Tries a link as it is typed or stored, and shows each step in words.
import { useState } from "react";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Problem } from "../../parts/problem.tsx";
import type { Fields } from "../../parts/object/merge-typed.ts";
import { Figure } from "../../parts/number-text.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./network.module.css";

type Outcome = Answers["POST /connectors/test"];

export interface BindTestProps {
  /** Of the stored link; absent: a new one. */
  readonly name?: string | undefined;
  readonly settings: () => Fields | Promise<Fields>;
}

export function BindTest({ name, settings }: BindTestProps) {
  const t = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<unknown>();
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setOutcome(undefined);
    try {
      const body = { ...(await settings()), ...(name !== undefined && { name }) };
      setOutcome(await callApi<"POST /connectors/test">("POST", "/connectors/test", { body, changesNothing: true }));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <div className={styles["test"]}>
      <div>
        <Button busy={isBusy} onClick={() => void run()}>
          {t("bindTest.run")}
        </Button>
      </div>
      <div role="status">
        {isBusy && <p className={styles["soft"]}>{t("bindTest.running")}</p>}
        {outcome !== undefined && (
          <ol className={styles["steps"]}>
            {outcome.steps.map(({ step, session, passed, ms, text }) => (
              <li key={`${session} ${step}`} className={passed ? styles["good"] : styles["bad"]}>
                <Icon name={passed ? "check" : "close"} />
                <span dir="auto">{text}</span>
                <span className={styles["soft"]}>
                  <Figure value={ms} /> {t("bindTest.ms")}
                </span>
              </li>
            ))}
          </ol>
        )}
      </div>
      {error !== undefined && <Problem error={error} />}
    </div>
  );
}
