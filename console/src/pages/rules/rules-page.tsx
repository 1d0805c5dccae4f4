// The rules of sending as they stand: when lines may send, what texts may say, whose a received
// message is, where block lists count, and the words of opt-outs.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi, type Tagged } from "../../api/client.ts";
import { useAccountNames, useLineNumbers } from "../../api/objects.ts";
import { getTagged, putTagged } from "../../api/tagged.ts";
import { useAble } from "../../frame/person.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Waiting } from "../../parts/endless-list.tsx";
import { Facts } from "../../parts/facts.tsx";
import { NotAnew } from "../../parts/not-anew.tsx";
import { Figure } from "../../parts/number-text.tsx";
import { isOfService } from "../../parts/object/object-dialog.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Section } from "../../parts/section.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { useTexts } from "../../texts/texts.ts";
import { SettingsDialog } from "../setup/settings-dialog.tsx";
import { RuleDialog, type RuleEndpoint, type StoredRules } from "./rule-dialog.tsx";
import { nameOfRule, ruleKinds, type RuleKind } from "./rule-kinds.tsx";
import { raised, type Rule, withoutRule } from "./rule-list.ts";
import styles from "./rules.module.css";

export function RulesPage() {
  const t = useTexts();
  const kinds = ruleKinds(t, { lines: useLineNumbers(), accounts: useAccountNames() });
  const maySet = useAble("setup");
  return (
    <>
      <PageHead title={t("rules.title")} lead={t("rules.lead")} actions={maySet && <SettingsDialog />} />
      {kinds.map((kind) => (
        <Section key={kind.section} title={t(`rules.${kind.section}`)} lead={t(`rules.lead.${kind.section}`)}>
          <Rules kind={kind} />
        </Section>
      ))}
      <Section title={t("rules.words.title")} lead={t("rules.words.lead")}>
        <Settings />
      </Section>
    </>
  );
}

function Rules({ kind }: { readonly kind: RuleKind }) {
  const { path } = kind;
  const rules = useQuery({
    queryKey: ["rules", path],
    queryFn: ({ signal }) => getTagged<RuleEndpoint>(path, signal),
  });
  if (rules.isPending) return <Waiting />;
  if (rules.isLoadingError) return <Problem error={rules.error} onRetry={() => void rules.refetch()} />;
  return (
    <>
      <NotAnew query={rules} />
      <RuleList kind={kind} shown={rules.data} />
    </>
  );
}

/**
 * A rule that somebody changes meanwhile is neither moved nor removed without showing the change.
 */
function RuleList({ kind, shown }: { readonly kind: RuleKind; readonly shown: Tagged<StoredRules> }) {
  const t = useTexts();
  const mayChange = useAble("network");
  const { section, path, specs, columns } = kind;
  const client = useQueryClient();
  const [problem, setProblem] = useState<unknown>();
  const [isMoving, setMoving] = useState(false);
  const rules = shown.value[section] ?? [];
  const change = async (changed: readonly Rule[]): Promise<void> => {
    await putTagged(path, { [section]: changed }, shown);
    setProblem(undefined);
    await client.invalidateQueries({ predicate: isOfService });
  };
  const readAnew = (): Promise<void> => client.invalidateQueries({ queryKey: ["rules", path] });
  const move = async (changed: readonly Rule[]): Promise<void> => {
    setMoving(true);
    await change(changed).catch((failure: unknown) => {
      setProblem(failure);
      return readAnew();
    });
    setMoving(false);
  };
  const actions: Column<Rule> = {
    key: "actions",
    title: t("list.actions"),
    isActions: true,
    cell: (rule) => (
      <RuleActions
        kind={kind}
        rule={rule}
        isMoving={isMoving}
        onRaise={rule === rules[0] ? undefined : () => void move(raised(rules, rule))}
        onRemove={() => change(withoutRule(rules, rule))}
        onLeave={() => void readAnew()}
      />
    ),
  };
  return (
    <>
      {problem !== undefined && <Problem error={problem} />}
      {rules.length === 0 ? (
        <p>{t(`rules.none.${section}`)}</p>
      ) : (
        <Table
          name={t(`rules.${section}`)}
          columns={mayChange ? [...columns, actions] : columns}
          rows={rules}
          keyOf={(rule) => JSON.stringify(rule)}
        />
      )}
      {mayChange && (
        <div className={styles["add"]}>
          <RuleDialog path={path} section={section} specs={specs} />
        </div>
      )}
    </>
  );
}

interface RuleActionsProps {
  readonly kind: RuleKind;
  readonly rule: Rule;
  /** A rule of the list is being moved: the next move needs the list that this one makes. */
  readonly isMoving: boolean;
  /** Absent: it is the first. */
  readonly onRaise: (() => void) | undefined;
  readonly onRemove: () => Promise<void>;
  /** The rule was not removed, perhaps because the list is not as it is shown. */
  readonly onLeave: () => void;
}

function RuleActions({ kind, rule, isMoving, onRaise, onRemove, onLeave }: RuleActionsProps) {
  const t = useTexts();
  const { section, path, specs } = kind;
  const name = nameOfRule(rule);
  return (
    <RowActions>
      {onRaise !== undefined && (
        <Button kind="quiet" aria-label={t("rules.upName", { name })} disabled={isMoving} onClick={onRaise}>
          {t("rules.up")}
        </Button>
      )}
      <RuleDialog path={path} section={section} specs={specs} rule={rule} name={name} />
      <Confirm
        button={t("object.remove")}
        title={t("object.removeTitle", { name })}
        text={t(`rules.remove.${section}`)}
        onConfirm={onRemove}
        onLeave={onLeave}
      />
    </RowActions>
  );
}

/** What holds for all lines; changed with the settings. */
function Settings() {
  const t = useTexts();
  const { data, error, refetch } = useQuery({
    queryKey: ["settings"],
    queryFn: ({ signal }) => callApi<"GET /settings">("GET", "/settings", { signal }),
  });
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Waiting />;
  const { optOutWords, optOutNotice, eventDays, contentDays, codeContentHours } = data;
  const words = (list: readonly string[] | undefined) =>
    list === undefined ? t("rules.usual") : <bdi>{list.join(t("rules.comma"))}</bdi>;
  const span = (value: number) => (value === 0 ? t("rules.asMessage") : <Figure value={value} />);
  return (
    <Facts
      facts={[
        { name: t("setup.optOutWords.stop"), value: words(optOutWords?.stop) },
        { name: t("setup.optOutWords.resume"), value: words(optOutWords?.resume) },
        {
          name: t("setup.optOutNotice"),
          value: optOutNotice === undefined ? t("rules.usual") : <bdi>{optOutNotice}</bdi>,
        },
        {
          name: t("setup.eventDays"),
          value: eventDays === undefined ? t("rules.usual") : <Figure value={eventDays} />,
        },
        { name: t("setup.contentDays"), value: span(contentDays) },
        { name: t("setup.codeContentHours"), value: span(codeContentHours) },
      ]}
    />
  );
}
