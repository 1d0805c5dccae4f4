// What became of the messages of one call, and the way to cancel what waits.
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { callApi } from "../../api/client.ts";
import type { PageParams } from "../../frame/page-params.ts";
import { useAble, usePerson } from "../../frame/person.ts";
import { CancelWaiting } from "../../parts/cancel-waiting.tsx";
import { Facts, PageHead } from "../../parts/page.tsx";
import { NotAnew, Problem } from "../../parts/problem.tsx";
import { Waiting } from "../../parts/table.tsx";
import { AccountLink, Copyable, Figure, Moment, Rials } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";

const states = ["waiting", "sent", "delivered", "undelivered", "unsent"] as const;

const everyMs = 3_000;

export function BatchPage({ params }: { readonly params: PageParams }) {
  const t = useTexts();
  const mayCancel = [useAble("send"), useAble("cancel")].includes(true);
  const isStaff = usePerson().kind === "staff";
  const id = params["id"] ?? "";
  const batch = useQuery({
    queryKey: ["/batches", id],
    queryFn: ({ signal }) => callApi<"GET /batches/{id}">("GET", `/batches/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: everyMs,
  });
  if (batch.isPending) return <Waiting />;
  if (batch.isLoadingError) return <Problem error={batch.error} onRetry={() => void batch.refetch()} />;
  const { data } = batch;
  return (
    <>
      <PageHead
        title={t("message.batch")}
        actions={
          <>
            <Link href={`/messages?batch=${id}`}>{t("send.itsMessages")}</Link>
            {mayCancel && data.waiting > 0 && (
              <CancelWaiting path={`/batches/${id}/cancel`} onDone={() => void batch.refetch()} />
            )}
          </>
        }
      />
      <NotAnew query={batch} />
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
  );
}
