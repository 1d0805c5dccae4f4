// Setting a second factor: a secret for the phone, a code of it as proof, and codes for the day
// when the phone is gone.
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, Suspense } from "react";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button, CurrentPassword, Field, formText } from "../../parts/controls.tsx";
import { later } from "../../parts/later.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Copyable, useCopy } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./profile.module.css";

type Enrolment = Answers["POST /profile/second-factor"];

const QrCode = later(async () => (await import("./qr-code.tsx")).QrCode);

export interface SecondFactorSetupProps {
  /**
   * From then on this must stay, whatever is known of the second factor meanwhile: the recovery
   * codes are shown this once.
   */
  readonly onBegin: () => void;
  readonly onDone: () => void;
}

export function SecondFactorSetup({ onBegin, onDone }: SecondFactorSetupProps) {
  const t = useTexts();
  const enrolment = useMutation({
    mutationFn: (password: string) => callApi("POST /profile/second-factor", { body: { password } }),
    onSuccess: onBegin,
  });
  const proof = useMutation({
    mutationFn: (code: string) => callApi("POST /profile/second-factor/confirm", { body: { code } }),
  });
  const error = enrolment.error ?? proof.error;
  const begin = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    enrolment.mutate(formText(event.currentTarget, "password"));
  };
  if (proof.data !== undefined) return <RecoveryCodes codes={proof.data.recoveryCodes} onDone={onDone} />;
  return (
    <div className={styles["setup"]}>
      {error !== null && <Problem error={error} />}
      {enrolment.data === undefined ? (
        <form className={styles["form"]} onSubmit={begin}>
          <CurrentPassword />
          <div>
            <Button type="submit">{t("factor.begin")}</Button>
          </div>
        </form>
      ) : (
        <Proof enrolment={enrolment.data} onCode={(code) => proof.mutate(code)} />
      )}
    </div>
  );
}

interface ProofProps {
  readonly enrolment: Enrolment;
  readonly onCode: (code: string) => void;
}

function Proof({ enrolment, onCode }: ProofProps) {
  const t = useTexts();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onCode(asciiDigits(formText(event.currentTarget, "code")).trim());
  };
  return (
    <>
      <p>{t("factor.scan")}</p>
      <Suspense fallback={null}>
        <QrCode text={enrolment.uri} name={t("factor.qr")} />
      </Suspense>
      <div className={styles["secret"]}>
        <span>{t("factor.byHand")}</span>
        <Copyable text={enrolment.secret} name={t("keys.key")} whole />
      </div>
      <form className={styles["form"]} onSubmit={submit}>
        <Field
          label={t("factor.code")}
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          dir="ltr"
          required
          autoFocus
        />
        <div>
          <Button kind="primary" type="submit">
            {t("factor.confirm")}
          </Button>
        </div>
      </form>
    </>
  );
}

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const t = useTexts();
  const [copied, copy] = useCopy(codes.join("\n"));
  return (
    <div className={styles["setup"]}>
      <Notice kind="attention" role="status">
        {t("factor.keepCodes")}
      </Notice>
      <ul className={styles["codes"]} aria-label={t("factor.codes")}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={styles["row"]}>
        <Button onClick={copy}>{t(copied ? "copy.copied" : "copy.all")}</Button>
        <Button kind="primary" onClick={onDone}>
          {t("factor.kept")}
        </Button>
      </div>
    </div>
  );
}
