// What was found for the words in the search box. One thing alone is shown at once.
import { Link, Redirect, useSearchParams } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import type { SearchHit } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { Empty, PageHead } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table, Waiting } from "../../parts/table.tsx";
import { kindText, Moment } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";

export function SearchPage() {
  const t = useTexts();
  const [search] = useSearchParams();
  const words = search.get("q")?.trim() ?? "";
  const found = useAnswer("GET /search", { query: { q: words } }, { enabled: words !== "" });
  const [first, ...others] = found.data?.items ?? [];
  if (first !== undefined && others.length === 0) return <Redirect to={first.path} replace />;
  return (
    <>
      <PageHead title={t("search.name")} heading={<bdi>{words}</bdi>} />
      {words !== "" && found.isPending && <Waiting />}
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {first !== undefined && <Hits hits={[first, ...others]} />}
      {(words === "" || found.data?.items.length === 0) && <NothingFound />}
    </>
  );
}

function Hits({ hits }: { readonly hits: readonly SearchHit[] }) {
  const t = useTexts();
  return (
    <Table
      name={t("search.name")}
      rows={hits}
      keyOf={({ kind, path, at = "" }) => `${kind} ${path} ${at}`}
      columns={[
        {
          title: t("search.found"),
          cell: ({ name, path }) => (
            <Link href={path}>
              <bdi>{name}</bdi>
            </Link>
          ),
        },
        { title: t("search.kind"), cell: ({ kind }) => kindText(t, kind) },
        { title: t("message.account"), cell: ({ account }) => <bdi>{account}</bdi> },
        { title: t("connectors.name"), minor: true, cell: ({ connector }) => <bdi>{connector}</bdi> },
        { title: t("message.accepted"), cell: ({ at }) => at !== undefined && <Moment at={at} /> },
      ]}
    />
  );
}

function NothingFound() {
  const t = useTexts();
  const isStaff = useAble("see");
  return <Empty title={t("search.none")} text={t(isStaff ? "search.noneStaff" : "search.noneCustomer")} />;
}
