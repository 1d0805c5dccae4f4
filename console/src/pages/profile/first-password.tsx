// Nothing else works before a password that somebody else has set is changed.
import { useSessionActions } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { useTexts } from "../../texts/texts.ts";
import { SignInFrame } from "../sign-in/sign-in-frame.tsx";
import { PasswordForm } from "./password-form.tsx";

export function FirstPassword() {
  const t = useTexts();
  const { signOut } = useSessionActions();
  return (
    <SignInFrame title={t("password.firstTitle")} lead={t("password.firstLead")}>
      <PasswordForm />
      <div>
        <Button kind="quiet" onClick={() => void signOut()}>
          {t("frame.signOut")}
        </Button>
      </div>
    </SignInFrame>
  );
}
