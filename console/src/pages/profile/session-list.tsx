// Where one is signed in, and the way to end it there.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endSession, listSessions, type OwnSession } from "../../api/profile.ts";
import { Button } from "../../parts/button.tsx";
import { Waiting } from "../../parts/endless-list.tsx";
import { Moment } from "../../parts/moment.tsx";
import { NotAnew } from "../../parts/not-anew.tsx";
import { Code } from "../../parts/number-text.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table } from "../../parts/table.tsx";
import { useTexts } from "../../texts/texts.ts";
import { browserOf } from "./browser-name.ts";

export function SessionList() {
  const t = useTexts();
  const client = useQueryClient();
  const sessions = useQuery({ queryKey: ["sessions"], queryFn: ({ signal }) => listSessions(signal) });
  const [error, setError] = useState<unknown>();
  const end = ({ id }: OwnSession): void => {
    setError(undefined);
    endSession(id).then(() => void client.invalidateQueries({ queryKey: ["sessions"] }), setError);
  };
  if (sessions.isPending) return <Waiting />;
  if (sessions.isLoadingError) return <Problem error={sessions.error} onRetry={() => void sessions.refetch()} />;
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      <NotAnew query={sessions} />
      <Table
        name={t("sessions.title")}
        rows={sessions.data.items}
        keyOf={({ id }) => id}
        columns={[
          {
            key: "browser",
            title: t("sessions.browser"),
            cell: ({ userAgent }) => <bdi>{browserOf(userAgent) ?? t("sessions.program")}</bdi>,
          },
          { key: "address", title: t("sessions.address"), cell: ({ address }) => <Code text={address} /> },
          { key: "since", title: t("sessions.since"), cell: ({ createdAt }) => <Moment at={createdAt} ago /> },
          { key: "used", title: t("sessions.used"), cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} ago /> },
          {
            key: "end",
            title: t("sessions.action"),
            isActions: true,
            cell: (session) =>
              session.current ? (
                t("sessions.this")
              ) : (
                <Button kind="danger" onClick={() => end(session)}>
                  {t("sessions.end")}
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}
