// Where programs of the account may call from, and whom it never sends to.
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useRef, useState } from "react";
import { ApiProblem, callApi, type Tagged } from "../../api/client.ts";
import type { Answers } from "../../api/types.ts";
import { useTagged } from "../../api/queries.ts";
import { dialled } from "../../format/numbers.ts";
import { usePerson } from "../../frame/person.ts";
import { Button } from "../../parts/controls.tsx";
import { fieldProblems } from "../../parts/field-problems.ts";
import { type FieldSpec, readFields } from "../../parts/field-spec.ts";
import { DeclaredFields } from "../../parts/fields.tsx";
import { useFirstProblem } from "../../parts/first-problem.ts";
import type { Fields } from "../../parts/merge-typed.ts";
import { PageHead, Section } from "../../parts/page.tsx";
import { Conflict, Notice, Problem } from "../../parts/problem.tsx";
import { Loaded } from "../../parts/table.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import styles from "./addresses.module.css";

const path = "/accounts/{name}/addresses";
type Addresses = Answers[`GET ${typeof path}`];

export function AddressesPage() {
  const t = useTexts();
  const params = { name: usePerson().account ?? "" };
  const stored = useTagged(`GET ${path}`, { params });
  const [version, setVersion] = useState(0);
  const save = useMutation({
    mutationFn: (body: Fields) => callApi(`PUT ${path}`, { params, body, expected: stored.data ?? "new" }),
    onSuccess: async () => {
      await stored.refetch();
      setVersion(version + 1);
    },
  });
  const readAnew = (): void => {
    save.reset();
    void stored.refetch();
  };
  return (
    <>
      <PageHead title={t("addresses.title")} lead={t("addresses.lead")} />
      <Loaded query={stored}>
        {(shown) => (
          // What was saved is another form: it shows what is stored. What somebody else has saved
          // comes into the fields that were not touched.
          <AddressesForm key={version} stored={shown} save={save} onReadAnew={readAnew} />
        )}
      </Loaded>
      {save.isSuccess && (
        <Notice kind="calm" role="status">
          {t("addresses.saved")}
        </Notice>
      )}
    </>
  );
}

interface AddressesFormProps {
  readonly stored: Tagged<Addresses>;
  readonly save: {
    readonly error: Error | null;
    readonly variables: Fields | undefined;
    readonly isPending: boolean;
    readonly mutate: (body: Fields) => void;
  };
  readonly onReadAnew: () => void;
}

function AddressesForm({ stored, save, onReadAnew }: AddressesFormProps) {
  const t = useTexts();
  const form = useRef<HTMLFormElement>(null);
  const { allowedIps, blockedRecipients } = stored.value;
  const { ips, blocked } = specsOf(t, blockedRecipients.length);
  const error = save.error ?? undefined;
  useFirstProblem(form, error);
  const { problemOf, isTold } = fieldProblems(error, ["allowedIps", "blockedRecipients"], save.variables);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    save.mutate(readFields(event.currentTarget, [ips, blocked]));
  };
  return (
    <form ref={form} className={styles["form"]} onSubmit={submit}>
      <Section title={t("addresses.ips")} lead={t("addresses.ipsLead")}>
        <DeclaredFields specs={[ips]} values={{ allowedIps }} problemOf={problemOf} />
        {allowedIps.length === 0 && <p className={styles["note"]}>{t("addresses.anywhere")}</p>}
      </Section>
      <Section title={t("addresses.blocked")} lead={t("addresses.blockedLead")}>
        <DeclaredFields
          specs={[blocked]}
          values={{ blockedRecipients: blockedRecipients.map(dialled) }}
          problemOf={problemOf}
        />
      </Section>
      {error instanceof ApiProblem && error.isStale ? (
        <Conflict change={error.lastChange} onReload={onReadAnew} />
      ) : (
        error !== undefined && !isTold && <Problem error={error} />
      )}
      <div>
        <Button kind="primary" type="submit" busy={save.isPending}>
          {t("addresses.save")}
        </Button>
      </div>
    </form>
  );
}

function specsOf(t: Translate, count: number): Readonly<Record<"ips" | "blocked", FieldSpec>> {
  return {
    ips: {
      name: "allowedIps",
      label: t("addresses.ipsLabel"),
      kind: "list",
      isLong: true,
      hint: t("addresses.ipsHint"),
      typing: { rows: 5 },
    },
    blocked: {
      name: "blockedRecipients",
      label: t("addresses.blockedLabel"),
      kind: "phones",
      hint: t("addresses.blockedCount", { count }),
      typing: { rows: 8, inputMode: "tel" },
    },
  };
}
