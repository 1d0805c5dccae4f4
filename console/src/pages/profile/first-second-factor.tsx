// Where the service demands a second factor, nothing else works before it is set.
import { useSessionActions } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { useTexts } from "../../texts/texts.ts";
import { DoorFrame } from "../sign-in/door-frame.tsx";
import { SecondFactorSetup } from "./second-factor-setup.tsx";

export function FirstSecondFactor() {
  const t = useTexts();
  const { signOut, refresh } = useSessionActions();
  return (
    <DoorFrame title={t("factor.firstTitle")} lead={t("factor.firstLead")}>
      <SecondFactorSetup onDone={() => void refresh()} />
      <div>
        <Button kind="quiet" onClick={() => void signOut()}>
          {t("frame.signOut")}
        </Button>
      </div>
    </DoorFrame>
  );
}
