// Where the service demands a second factor, nothing else works before it is set.
import { useSessionActions } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { useTexts } from "../../texts/texts.ts";
import { SignInFrame } from "../sign-in/sign-in-frame.tsx";
import { SecondFactorSetup, type SecondFactorSetupProps } from "./second-factor-setup.tsx";

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
