// The rows of a campaign with their outcomes.
import { useState } from "react";
import { Link } from "wouter";
import { printable } from "../../../../src/sms/text-kind.ts";
import type { Campaign, CampaignRow } from "../../api/types.ts";
import { useMay } from "../../frame/person.ts";
import { Select } from "../../parts/controls.tsx";
import { FilteredList } from "../../parts/list-page.tsx";
import { Section } from "../../parts/page.tsx";
import { SaveFile } from "../../parts/save-file.tsx";
import { State, stateOf } from "../../parts/state.tsx";
import { Dialled } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./campaign-page.module.css";

/** Something of the row cannot be read, such as its number. */
const invalid = 1001;

export function Rows({ campaign: { id, rows, state, canceling } }: { readonly campaign: Campaign }) {
  const t = useTexts();
  const seesMessages = useMay("readMessages");
  const [chosen, setOnly] = useState<string>();
  // Of a draft the faults come first, of one that was started all rows.
  const only = chosen ?? (state === "draft" ? "faulty" : "");
  // Other rows, or other outcomes of them, are another list.
  const asked = { only, rows, state, canceling: String(canceling === true) };
  return (
    <Section title={t("campaign.rows")}>
      <div className={styles["tools"]}>
        <Select
          label={t("campaign.show")}
          value={only}
          options={[
            { value: "", text: t("routes.all") },
            { value: "faulty", text: t("campaign.faulty") },
            { value: "duplicate", text: t("campaign.duplicates") },
            ...(seesMessages && state !== "draft" ? [{ value: "failed", text: t("campaign.failed") }] : []),
          ]}
          onChoose={setOnly}
        />
        <SaveFile path={`/campaigns/${id}/rows`} values={only === "" ? {} : { only }} />
      </div>
      <FilteredList
        list="GET /campaigns/{id}/rows"
        name={t("campaign.rows")}
        asked={{ params: { id }, query: asked }}
        keyOf={({ number }) => String(number)}
        none={{ title: t("campaign.noRows") }}
        columns={[
          { title: t("campaign.row"), atEnd: true, cell: ({ number }) => number },
          {
            title: t("message.recipient"),
            cell: ({ recipientNumber, sentMessageId, errorCode }) =>
              sentMessageId === undefined ? (
                // The file had none; else it is that of a person who was erased.
                (recipientNumber !== "" || errorCode !== invalid) && <Dialled text={printable(recipientNumber)} />
              ) : (
                <Link href={`/messages/${sentMessageId}`}>
                  <Dialled text={recipientNumber} />
                </Link>
              ),
          },
          { title: t("message.state"), wide: true, cell: (row) => <Outcome row={row} /> },
        ]}
      />
    </Section>
  );
}

function Outcome({ row }: { readonly row: CampaignRow }) {
  const t = useTexts();
  const seesMessages = useMay("readMessages");
  const { messageStatus, errorCode, errorMessage, duplicateOf } = row;
  if (messageStatus !== undefined)
    return (
      <State state={stateOf({ messageStatus, ...(errorCode !== undefined && { errorCode }) })} note={errorMessage} />
    );
  if (errorMessage !== undefined) return errorMessage;
  if (duplicateOf === undefined) return seesMessages ? t("campaign.open") : null;
  return t("campaign.duplicateOf", { row: duplicateOf });
}
