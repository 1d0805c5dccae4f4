// What must be done before anything else works: changing a password that somebody else has set, and
// setting a second factor where the service demands one.
import { useSessionActions } from "../../api/session.ts";
import { Button } from "../../parts/controls.tsx";
import { whoText } from "../../parts/problem.tsx";
import { useTexts } from "../../texts/texts.ts";
import { SignInFrame } from "../sign-in/sign-in-page.tsx";
import { PasswordForm } from "./profile-page.tsx";
import { SecondFactorSetup, type SecondFactorSetupProps } from "./second-factor-setup.tsx";

/** `setBy`: who has set the present password, as the API names them. */
export function FirstPassword({ setBy }: { readonly setBy: string }) {
  const t = useTexts();
  const { signOut } = useSessionActions();
  return (
    <SignInFrame
      title={t("password.firstTitle")}
      lead={t("password.firstLead", { who: setBy === "staff" ? t("who.service") : whoText(t, setBy) })}
    >
      <PasswordForm />
      <div>
        <Button kind="quiet" onClick={() => void signOut()}>
          {t("frame.signOut")}
        </Button>
      </div>
    </SignInFrame>
  );
}

// Where the service demands a second factor, nothing else works before it is set.

export function FirstSecondFactor({ onBegin, onDone }: SecondFactorSetupProps) {
  const t = useTexts();
  const { signOut, refresh } = useSessionActions();
  const goOn = (): void => {
    onDone();
    void refresh();
  };
  return (
    <SignInFrame title={t("factor.firstTitle")} lead={t("factor.firstLead")}>
      <SecondFactorSetup onBegin={onBegin} onDone={goOn} />
      <div>
        <Button kind="quiet" onClick={() => void signOut()}>
          {t("frame.signOut")}
        </Button>
      </div>
    </SignInFrame>
  );
}
