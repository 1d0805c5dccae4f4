// The rules of sending as they stand: when lines may send, what texts may say, whose a received
// message is, where block lists count, and the words of opt-outs.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiProblem, type PathOf, Refused, type Tagged, callApi, getTagged, putTagged } from "../../api/client.ts";
import { useAccountNames, useLineNumbers } from "../../api/queries.ts";
import { useAble } from "../../frame/person.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Button, formText } from "../../parts/controls.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type FieldSpec, readFields } from "../../parts/object/field-spec.ts";
import { notShown } from "../../parts/object/merge-typed.ts";
import { isOfService } from "../../parts/object/object-dialog.tsx";
import { ObjectFields } from "../../parts/object/object-fields.tsx";
import { Facts, PageHead, Section } from "../../parts/page.tsx";
import { NotAnew, Problem } from "../../parts/problem.tsx";
import { type Column, RowActions, Table, Waiting } from "../../parts/table.tsx";
import { TaggedFields, tagOf } from "../../parts/tagged-fields.tsx";
import { Figure } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import { SettingsDialog } from "../setup/settings-dialog.tsx";
import { nameOfRule, ruleKinds, type RuleEndpoint, type RuleKind, type RuleSection } from "./rule-kinds.tsx";
import { type Rule, asFaultsOfRule, asGiven, placeOf, raised, withRule, withoutRule } from "./rule-list.ts";
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

// The form of one rule. The list that it stands in is written whole, with the tag of the state that
// was read: nobody's change is undone unseen.

/** As the API answers them: each list at its own path. */
export type StoredRules = Readonly<Partial<Record<RuleSection, readonly Rule[]>>>;

export interface RuleDialogProps {
  readonly path: PathOf<RuleEndpoint>;
  readonly section: RuleSection;
  readonly specs: readonly FieldSpec[];
  /** Absent: a new one. */
  readonly rule?: Rule;
  readonly name?: string;
}

export function RuleDialog({ path, section, specs, rule, name }: RuleDialogProps) {
  const t = useTexts();
  const client = useQueryClient();
  const title = rule === undefined ? t(`rules.add.${section}`) : t("rules.editTitle", { name: name ?? "" });
  const save = async (form: HTMLFormElement): Promise<void> => {
    const stored = JSON.parse(formText(form, "stored")) as readonly Rule[];
    const found = rule === undefined ? -1 : placeOf(stored, rule);
    if (rule !== undefined && found < 0) throw new Refused(t("rules.gone"));
    const kept = notShown(stored[found] ?? {}, [...specs.map((spec) => spec.name), "any"]);
    const rules = withRule(stored, rule, { ...kept, ...asGiven(section, readFields(form, specs)) });
    try {
      await putTagged(path, { [section]: rules }, tagOf(form));
    } catch (problem) {
      throw withFaultsOfRule(problem, section, found < 0 ? rules.length - 1 : found);
    }
    await client.invalidateQueries({ predicate: isOfService });
  };
  return (
    <FormDialog
      button={t(rule === undefined ? `rules.add.${section}` : "object.edit")}
      kind={rule === undefined ? "plain" : "quiet"}
      title={title}
      submit={t(rule === undefined ? "object.add" : "object.save")}
      fields={specs.map((spec) => spec.name)}
      onSubmit={save}
    >
      {(problemOf) => (
        <TaggedFields<RuleEndpoint> path={path}>
          {(seen: StoredRules) => {
            const stored = seen[section] ?? [];
            const now = rule === undefined ? undefined : stored[placeOf(stored, rule)];
            return (
              <>
                <input type="hidden" name="stored" value={JSON.stringify(stored)} />
                <ObjectFields specs={specs} values={now ?? rule ?? {}} problemOf={problemOf} />
              </>
            );
          }}
        </TaggedFields>
      )}
    </FormDialog>
  );
}

function withFaultsOfRule(problem: unknown, section: RuleSection, place: number): unknown {
  if (!(problem instanceof ApiProblem) || problem.fields.length === 0) return problem;
  const { status, code, message, fields } = problem;
  return new ApiProblem(status, {
    errorMessage: message,
    validationErrors: asFaultsOfRule(fields, section, place),
    ...(code !== undefined && { errorCode: code }),
  });
}
