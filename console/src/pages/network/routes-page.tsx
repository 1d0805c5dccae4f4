// The routes in the order in which they are tried, moved by buttons and keys, and saved as one
// list; beside it the question which way a number would go.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiProblem, callTagged, type Tagged } from "../../api/client.ts";
import { isOfService, useConnectorNames, useLineNumbers, useOperatorNames, useTagged } from "../../api/queries.ts";
import type { Answers, Route } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { Button } from "../../parts/controls.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { Conflict, Notice, Problem } from "../../parts/problem.tsx";
import { Loaded } from "../../parts/table.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { moved, RouteRow } from "./route-row.tsx";
import { RouteTrace } from "./route-trace.tsx";
import styles from "./network.module.css";

type RouteList = Answers["GET /routes"];

export function RoutesPage() {
  const t = useTexts();
  const routes = useTagged("GET /routes");
  return (
    <>
      <PageHead title={t("routes.title")} lead={t("routes.lead")} />
      <div className={styles["beside"]}>
        <div>
          <Loaded query={routes}>{(data) => <RouteEditor first={data} />}</Loaded>
        </div>
        <RouteTrace />
      </div>
    </>
  );
}

/** A route keeps its number while it is moved, so that the focus stays on it. */
interface NumberedRoute {
  readonly id: number;
  readonly route: Route;
}

let lastId = 0;
const numbered = (routes: readonly Route[]): readonly NumberedRoute[] =>
  routes.map((route) => ({ id: (lastId += 1), route }));

/** The list as it is made here, beside the one that is stored. */
function useRoutes(first: Tagged<RouteList>) {
  const t = useTexts();
  const client = useQueryClient();
  const [stored, setStored] = useState(first);
  const [rows, setRows] = useState(() => numbered(first.value.routes));
  const [said, setSaid] = useState("");
  const [isBeside, setBeside] = useState(false);
  const isChanged = JSON.stringify(rows.map(({ route }) => route)) !== JSON.stringify(stored.value.routes);

  const move = (from: number, to: number): void => {
    if (to < 0 || to >= rows.length) return;
    setRows(moved(rows, from, to));
    setSaid(t("routes.movedTo", { from: from + 1, to: to + 1 }));
  };
  const save = useMutation({
    mutationFn: () => callTagged("PUT /routes", { body: { routes: rows.map(({ route }) => route) }, expected: stored }),
    onSuccess: (now) => {
      setStored(now);
      setBeside(false);
      setSaid(t("routes.saved"));
      return client.invalidateQueries({ predicate: isOfService });
    },
  });
  /** What was arranged here stays, beside what the other person has made: nothing of that is undone unseen. */
  const loadAnew = useMutation({
    mutationFn: () => callTagged("GET /routes"),
    onSuccess: (now) => {
      setStored(now);
      setBeside(true);
      save.reset();
    },
  });
  const discard = (): void => {
    setRows(numbered(stored.value.routes));
    setBeside(false);
    save.reset();
  };
  const other = isBeside ? stored.value.routes : undefined;
  const error = save.error ?? loadAnew.error;
  return { rows, setRows, isChanged, error, other, said, setSaid, move, save, loadAnew, discard };
}

function RouteEditor({ first }: { readonly first: Tagged<RouteList> }) {
  const t = useTexts();
  const mayChange = useAble("network");
  const choices = { operators: useOperatorNames(), lines: useLineNumbers(), connectors: useConnectorNames() };
  const editor = useRoutes(first);
  const { rows, setRows, isChanged, error, said, setSaid, save } = editor;
  const stale = error instanceof ApiProblem && error.isStale ? error : undefined;
  return (
    <>
      {rows.length === 0 && <Empty title={t("routes.none")} text={t("routes.noneText")} />}
      <ol className={styles["routes"]} aria-label={t("routes.title")}>
        {rows.map(({ id, route }, index) => (
          <RouteRow
            key={id}
            route={route}
            position={index + 1}
            last={rows.length}
            choices={choices}
            mayChange={mayChange}
            problems={problemsOf(error, index) ?? coverText(t, rows, index)}
            onMove={(to) => editor.move(index, to - 1)}
            onChange={(changed) => setRows(rows.map((row) => (row.id === id ? { id, route: changed } : row)))}
            onRemove={() => {
              setRows(rows.filter((row) => row.id !== id));
              setSaid(t("routes.removed", { position: index + 1 }));
            }}
          />
        ))}
      </ol>
      <p className="visuallyHidden" role="status">
        {said}
      </p>
      {mayChange && (
        <>
          {stale !== undefined && <Conflict change={stale.lastChange} onReload={() => editor.loadAnew.mutate()} />}
          {error !== null && stale === undefined && <Problem error={error} />}
          {editor.other !== undefined && <OtherRoutes routes={editor.other} />}
          <div className={styles["save"]}>
            <Button onClick={() => setRows([...rows, ...numbered([{ operator: "*", line: "*", connectors: [] }])])}>
              {t("routes.add")}
            </Button>
            {isChanged && (
              <>
                <Notice kind="attention">{t("routes.unsaved")}</Notice>
                <Button onClick={editor.discard}>{t("routes.discard")}</Button>
                <Button kind="primary" busy={save.isPending} onClick={() => save.mutate()}>
                  {t("routes.save")}
                </Button>
              </>
            )}
          </div>
        </>
      )}
    </>
  );
}

function problemsOf(error: unknown, index: number): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  const own = error.fields.filter(({ field }) => field.startsWith(`routes[${index}]`));
  return own.length === 0 ? undefined : own.map(({ field, errorMessage }) => `${field}: ${errorMessage}`).join(" ");
}

/** Of a route that no message reaches, because one before it takes them all. */
function coverText(t: Translate, rows: readonly NumberedRoute[], index: number): string | undefined {
  const own = rows[index]?.route;
  const takes = (all: string, one: string | undefined): boolean => all === "*" || all === one;
  const before = rows.findIndex(({ route }) => takes(route.operator, own?.operator) && takes(route.line, own?.line));
  return before < index ? t("routes.covered", { position: before + 1 }) : undefined;
}

/** What somebody else has made of the routes meanwhile: what is arranged here is to be saved beside it. */
function OtherRoutes({ routes }: { readonly routes: readonly Route[] }) {
  const t = useTexts();
  return (
    <Notice kind="attention" role="status">
      {t("routes.other")}
      <ol className={styles["deeds"]}>
        {routes.map((route, index) => (
          // Equal routes have no other name than their place.
          <li key={index}>{routeText(t, route)}</li>
        ))}
      </ol>
    </Notice>
  );
}

function routeText(t: Translate, { operator, line, connectors }: Route): string {
  const named = (value: string): string => (value === "*" ? t("routes.all") : value);
  return t("routes.summary", {
    operator: named(operator),
    line: named(line),
    connectors: connectors.join(t("list.comma")),
  });
}
