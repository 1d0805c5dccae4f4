// Where programs of the account may call from, and whom it never sends to.
import { useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useRef, useState } from "react";
import { ApiProblem, type Tagged, putTagged } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { taggedKey, useTagged } from "../../api/queries.ts";
import { addressesPath } from "../../api/types.ts";
import { dialled, formatNumber } from "../../format/numbers.ts";
import { usePerson } from "../../frame/person.ts";
import { Button, LongField, formText } from "../../parts/controls.tsx";
import { fieldProblems } from "../../parts/field-problems.ts";
import { useFirstProblem } from "../../parts/first-problem.ts";
import { listOf, phonesOf } from "../../parts/object/field-spec.ts";
import { PageHead, Section } from "../../parts/page.tsx";
import { Conflict, Notice, Problem } from "../../parts/problem.tsx";
import { Waiting } from "../../parts/table.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./addresses.module.css";

type Addresses = Answers["GET /accounts/{name}/addresses"];

export function AddressesPage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  const path = addressesPath(account);
  const stored = useTagged<"GET /accounts/{name}/addresses">(path);
  const [isSaved, setSaved] = useState(false);
  const [version, setVersion] = useState(0);
  const tellSaved = (saved: boolean): void => {
    setSaved(saved);
    if (saved) setVersion(version + 1);
  };
  return (
    <>
      <PageHead title={t("addresses.title")} lead={t("addresses.lead")} />
      {stored.isError && <Problem error={stored.error} onRetry={() => void stored.refetch()} />}
      {stored.isPending && <Waiting />}
      {stored.data !== undefined && (
        // What was saved is another form: it shows what is stored. What somebody else has saved
        // comes into the fields that were not touched.
        <AddressesForm
          key={version}
          path={path}
          stored={stored.data}
          onSaved={tellSaved}
          onReload={() => void stored.refetch()}
        />
      )}
      {isSaved && (
        <Notice kind="calm" role="status">
          {t("addresses.saved")}
        </Notice>
      )}
    </>
  );
}

type Outcome = { readonly kind: "busy" } | { readonly kind: "refused"; readonly error: unknown };

interface AddressesFormProps {
  readonly path: ReturnType<typeof addressesPath>;
  readonly stored: Tagged<Addresses>;
  readonly onSaved: (isSaved: boolean) => void;
  readonly onReload: () => void;
}

function AddressesForm({ path, stored, onSaved, onReload }: AddressesFormProps) {
  const t = useTexts();
  const client = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>();
  const form = useRef<HTMLFormElement>(null);
  const error = outcome?.kind === "refused" ? outcome.error : undefined;
  useFirstProblem(form, error);
  const { problemOf, isTold } = fieldProblems(error, ["allowedIps", "blockedRecipients"]);
  const { allowedIps, blockedRecipients } = stored.value;
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = event.currentTarget;
    setOutcome({ kind: "busy" });
    onSaved(false);
    const body = {
      allowedIps: listOf(formText(typed, "allowedIps")),
      blockedRecipients: phonesOf(formText(typed, "blockedRecipients")),
    };
    putTagged<"PUT /accounts/{name}/addresses">(path, body, stored).then(
      (saved) => {
        setOutcome(undefined);
        onSaved(true);
        client.setQueryData([taggedKey, path], saved);
      },
      (error: unknown) => setOutcome({ kind: "refused", error }),
    );
  };
  const loadAnew = (): void => {
    setOutcome(undefined);
    onReload();
  };
  return (
    <form ref={form} className={styles["form"]} onSubmit={save}>
      <AllowedIps stored={allowedIps} problem={problemOf("allowedIps")} />
      <BlockedRecipients stored={blockedRecipients} problem={problemOf("blockedRecipients")} />
      {error !== undefined && !isTold && <Refused error={error} onReload={loadAnew} />}
      <div>
        <Button kind="primary" type="submit" busy={outcome?.kind === "busy"}>
          {t("addresses.save")}
        </Button>
      </div>
    </form>
  );
}

interface ListProps {
  readonly stored: readonly string[];
  readonly problem: string | undefined;
}

function AllowedIps({ stored, problem }: ListProps) {
  const t = useTexts();
  return (
    <Section title={t("addresses.ips")} lead={t("addresses.ipsLead")}>
      <LongField
        label={t("addresses.ipsLabel")}
        name="allowedIps"
        dir="ltr"
        rows={5}
        spellCheck={false}
        defaultValue={stored.join("\n")}
        hint={t("addresses.ipsHint")}
        problem={problem}
      />
      {stored.length === 0 && <p className={styles["note"]}>{t("addresses.anywhere")}</p>}
    </Section>
  );
}

function BlockedRecipients({ stored, problem }: ListProps) {
  const t = useTexts();
  const language = useLanguage();
  return (
    <Section title={t("addresses.blocked")} lead={t("addresses.blockedLead")}>
      <LongField
        label={t("addresses.blockedLabel")}
        name="blockedRecipients"
        dir="ltr"
        rows={8}
        inputMode="tel"
        spellCheck={false}
        defaultValue={stored.map(dialled).join("\n")}
        hint={t("addresses.blockedCount", { count: formatNumber(language, stored.length) })}
        problem={problem}
      />
    </Section>
  );
}

function Refused({ error, onReload }: { readonly error: unknown; readonly onReload: () => void }) {
  if (error instanceof ApiProblem && error.isStale) return <Conflict change={error.lastChange} onReload={onReload} />;
  return <Problem error={error} />;
}
