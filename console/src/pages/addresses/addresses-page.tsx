// Where programs of the account may call from, and whom it never sends to.
import { callApi } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { dialled } from "../../format/numbers.ts";
import { usePerson } from "../../frame/person.ts";
import type { FieldSpec } from "../../parts/field-spec.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { PageHead, Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/table.tsx";
import { Code } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";

const path = "/accounts/{name}/addresses";

export function AddressesPage() {
  const t = useTexts();
  const params = { name: usePerson().account ?? "" };
  const stored = useAnswer(`GET ${path}`, { params });
  return (
    <>
      <PageHead
        title={t("addresses.title")}
        lead={t("addresses.lead")}
        actions={
          <FormDialog
            button={t("object.edit")}
            kind="primary"
            title={t("addresses.title")}
            submit={t("object.save")}
            about={{ name: `GET ${path}`, params }}
            fill={({ allowedIps, blockedRecipients }) => ({
              allowedIps,
              blockedRecipients: blockedRecipients.map(dialled),
            })}
            specs={specsOf(t)}
            onSubmit={async (body, { expected }) => {
              await callApi(`PUT ${path}`, { params, body, expected });
            }}
          />
        }
      />
      <Loaded query={stored}>
        {({ allowedIps, blockedRecipients }) => (
          <>
            <Section title={t("addresses.ips")} lead={t("addresses.ipsLead")}>
              {allowedIps.length === 0 ? t("addresses.anywhere") : <Code text={allowedIps.join(", ")} />}
            </Section>
            <Section title={t("addresses.blocked")} lead={t("addresses.blockedLead")}>
              <p>{t("addresses.blockedCount", { count: blockedRecipients.length })}</p>
              <Code text={blockedRecipients.map(dialled).join(", ")} />
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}

function specsOf(t: Translate): readonly FieldSpec[] {
  return [
    {
      name: "allowedIps",
      label: t("keys.addresses"),
      kind: "list",
      isLong: true,
      hint: t("addresses.ipsHint"),
      typing: { rows: 5 },
    },
    {
      name: "blockedRecipients",
      label: t("addresses.blockedLabel"),
      kind: "phones",
      hint: t("addresses.blockedHint"),
      typing: { rows: 8, inputMode: "tel" },
    },
  ];
}
