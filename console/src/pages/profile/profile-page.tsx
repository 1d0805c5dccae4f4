// One's own account in the console.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { findProfile, removeSecondFactor } from "../../api/profile.ts";
import { roleText } from "../../frame/role-text.ts";
import { usePerson } from "../../frame/person.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CurrentPassword } from "../../parts/current-password.tsx";
import { formText } from "../../parts/form-text.ts";
import { Waiting } from "../../parts/endless-list.tsx";
import { NotAnew } from "../../parts/not-anew.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { formatNumber } from "../../format/numbers.ts";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import { PasswordForm } from "./password-form.tsx";
import { SecondFactorSetup } from "./second-factor-setup.tsx";
import { SessionList } from "./session-list.tsx";
import styles from "./profile.module.css";

export function ProfilePage() {
  const t = useTexts();
  const person = usePerson();
  return (
    <>
      <PageHead title={t("profile.title")} heading={<bdi>{person.username}</bdi>} lead={roleText(t, person.role)} />
      <section className={styles["part"]} aria-labelledby="sessions">
        <h2 id="sessions">{t("sessions.title")}</h2>
        <p>{t("sessions.lead")}</p>
        <SessionList />
      </section>
      <section className={styles["part"]} aria-labelledby="password">
        <h2 id="password">{t("password.title")}</h2>
        <p>{t("password.lead")}</p>
        <PasswordForm />
      </section>
      <section className={styles["part"]} aria-labelledby="factor">
        <h2 id="factor">{t("factor.title")}</h2>
        <p>{t("factor.lead")}</p>
        <SecondFactor />
      </section>
    </>
  );
}

function SecondFactor() {
  const t = useTexts();
  const client = useQueryClient();
  const language = useLanguage();
  const profile = useQuery({ queryKey: ["profile"], queryFn: ({ signal }) => findProfile(signal) });
  const [isChanging, setChanging] = useState(false);
  const reload = (): void => {
    setChanging(false);
    void client.invalidateQueries({ queryKey: ["profile"] });
  };
  if (profile.isPending) return <Waiting />;
  if (profile.isLoadingError) return <Problem error={profile.error} onRetry={() => void profile.refetch()} />;
  if (!profile.data.secondFactor || isChanging)
    return <SecondFactorSetup onBegin={() => setChanging(true)} onDone={reload} />;
  return (
    <div className={styles["setup"]}>
      <NotAnew query={profile} />
      <p>{t("factor.isSet", { count: formatNumber(language, profile.data.recoveryCodes) })}</p>
      <div className={styles["row"]}>
        <Button onClick={() => setChanging(true)}>{t("factor.another")}</Button>
        <Confirm
          button={t("factor.remove")}
          title={t("factor.removeTitle")}
          text={t("factor.removeText")}
          onConfirm={async (form) => {
            await removeSecondFactor(formText(form, "password"));
            reload();
          }}
        >
          <CurrentPassword />
        </Confirm>
      </div>
    </div>
  );
}
