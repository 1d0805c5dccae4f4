// What became of the messages of one call, and the way to cancel what waits.
import { Link } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useMay, usePerson } from "../../frame/person.ts";
import { CancelWaiting } from "../../parts/cancel-waiting.tsx";
import { Facts, PageHead } from "../../parts/page.tsx";
import { Loaded } from "../../parts/table.tsx";
import { AccountLink, Copyable, Figure, Moment, Rials } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";

const states = ["waiting", "sent", "delivered", "undelivered", "unsent"] as const;

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
              <>
                <Link href={`/messages?batch=${id}`}>{t("send.itsMessages")}</Link>
                {mayCancel && data.waiting > 0 && (
                  <CancelWaiting of="batches" id={id} onDone={() => void batch.refetch()} />
                )}
              </>
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
              ...states.map((state) => ({ name: t(`state.${state}`), value: <Figure value={data[state]} /> })),
              { name: t("message.parts"), value: <Figure value={data.parts} /> },
              { name: t("message.cost"), value: <Rials value={data.cost} /> },
              { name: t("send.refunded"), value: <Rials value={data.refunded} /> },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}
