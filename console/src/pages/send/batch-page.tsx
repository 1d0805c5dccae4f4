// What became of the messages of one call, and the way to cancel what waits.
import { useAnswer } from "../../api/queries.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useMay, usePerson } from "../../frame/person.ts";
import { CancelWaiting } from "../../parts/cancel-waiting.tsx";
import { Facts, PageHead, Section } from "../../parts/page.tsx";
import { FilteredList } from "../../parts/list-page.tsx";
import { statuses } from "../../parts/state.tsx";
import { Loaded } from "../../parts/table.tsx";
import { AccountLink, Copyable, Moment, Rials } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import { messageColumns } from "../messages/message-columns.tsx";

const everyMs = 3_000;

export function BatchPage({ params }: { readonly params: PageParams }) {
  const t = useTexts();
  const mayCancel = useMay("cancel");
  const isStaff = usePerson().kind === "staff";
  const id = params["id"] ?? "";
  const batch = useAnswer("GET /batches/{id}", { params: { id } }, { refetchInterval: everyMs });
  return (
    <Loaded query={batch}>
      {(data) => (
        <>
          <PageHead
            title={t("message.batch")}
            actions={
              mayCancel &&
              data.waiting > 0 && <CancelWaiting of="batches" id={id} onDone={() => void batch.refetch()} />
            }
          />
          <Facts
            facts={[
              { name: t("message.batch"), value: <Copyable text={id} name={t("message.batch")} /> },
              {
                name: t("message.account"),
                value: isStaff ? <AccountLink name={data.account} /> : <bdi>{data.account}</bdi>,
              },
              { name: t("message.accepted"), value: <Moment at={data.acceptedAt} /> },
              { name: t("message.due"), value: data.sendAt && <Moment at={data.sendAt} /> },
              ...statuses.map((state) => ({ name: t(`state.${state}`), value: data[state] })),
              { name: t("message.parts"), value: data.parts },
              { name: t("message.cost"), value: <Rials value={data.cost} /> },
              { name: t("send.refunded"), value: <Rials value={data.refunded} /> },
            ]}
          />
          <Section title={t("send.itsMessages")}>
            {/* Another state of one of them is another list. */}
            <FilteredList
              key={statuses.map((state) => data[state]).join()}
              list="GET /messages"
              name={t("send.itsMessages")}
              asked={{ query: { batch: id } }}
              columns={messageColumns(t, isStaff)}
              keyOf={({ sentMessageId }) => sentMessageId}
              none={{ title: t("messages.none") }}
            />
          </Section>
        </>
      )}
    </Loaded>
  );
}
