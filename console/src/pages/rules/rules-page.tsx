// The rules of sending as they stand: when lines may send, what texts may say, whose a received
// message is, where block lists count, and the words of opt-outs.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { defaultOptOutNotice, defaultOptOutWords } from "../../../../src/sms/opt-out-index.ts";
import { ApiProblem, callApi, callTagged, Refused, type Tagged } from "../../api/client.ts";
import { useAccountNames, useAnswer, useLineNumbers } from "../../api/queries.ts";
import { useAble } from "../../frame/person.ts";
import { Button } from "../../parts/controls.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { notShown } from "../../parts/merge-typed.ts";
import { Facts, PageHead, Section } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Loaded, Table } from "../../parts/table.tsx";
import { useTexts } from "../../texts/texts.ts";
import { SettingsDialog } from "../setup/settings-dialog.tsx";
import { nameOfRule, type RuleEndpoint, type RuleKind, ruleKinds, type RuleSection } from "./rule-kinds.tsx";
import { asFaultsOfRule, asGiven, placeOf, raised, type Rule, withoutRule, withRule } from "./rule-list.ts";
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
    queryFn: ({ signal }) => callTagged<RuleEndpoint>(`GET ${path}`, { signal }),
  });
  return <Loaded query={rules}>{(shown) => <RuleList kind={kind} shown={shown} />}</Loaded>;
}

/**
 * A rule that somebody changes meanwhile is neither moved nor removed without showing the change.
 */
function RuleList({ kind, shown }: { readonly kind: RuleKind; readonly shown: Tagged<StoredRules> }) {
  const t = useTexts();
  const mayChange = useAble("network");
  const { section, path, columns } = kind;
  const client = useQueryClient();
  const rules = shown.value[section] ?? [];
  const put = (changed: readonly Rule[]) => callApi(`PUT ${path}`, { body: { [section]: changed }, expected: shown });
  const readAnew = (): Promise<void> => client.invalidateQueries({ queryKey: ["rules", path] });
  const move = useMutation({ mutationFn: put, onSettled: readAnew });
  const actionsOf = (rule: Rule) => (
    <RuleActions
      kind={kind}
      rule={rule}
      isMoving={move.isPending}
      onRaise={rule === rules[0] ? undefined : () => move.mutate(raised(rules, rule))}
      onRemove={async () => {
        move.reset();
        await put(withoutRule(rules, rule));
      }}
      onLeave={() => void readAnew()}
    />
  );
  return (
    <>
      {move.error !== null && <Problem error={move.error} />}
      {rules.length === 0 ? (
        <p>{t(`rules.none.${section}`)}</p>
      ) : (
        <Table
          name={t(`rules.${section}`)}
          columns={columns}
          rows={rules}
          keyOf={(rule) => JSON.stringify(rule)}
          actions={mayChange && actionsOf}
        />
      )}
      {mayChange && (
        <div className={styles["add"]}>
          <RuleDialog kind={kind} />
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
  const name = nameOfRule(rule);
  return (
    <>
      {onRaise !== undefined && (
        <Button kind="quiet" aria-label={t("rules.upName", { name })} disabled={isMoving} onClick={onRaise}>
          {t("rules.up")}
        </Button>
      )}
      <RuleDialog kind={kind} rule={rule} />
      <FormDialog
        button={t("object.remove")}
        kind="danger"
        title={t("object.removeTitle", { name })}
        lead={t(`rules.remove.${kind.section}`)}
        onSubmit={onRemove}
        onLeave={onLeave}
      />
    </>
  );
}

/** What holds for all lines; changed with the settings. */
function Settings() {
  const t = useTexts();
  const settings = useAnswer("GET /settings");
  const ownOr = (own: string | undefined, usual: string) => (
    <>
      <bdi>{own ?? usual}</bdi>
      {own === undefined && ` (${t("rules.usual")})`}
    </>
  );
  const words = (own: readonly string[] | undefined, usual: readonly string[]) =>
    ownOr(own?.join(t("list.comma")), usual.join(t("list.comma")));
  const span = (value: number) => (value === 0 ? t("rules.asMessage") : value);
  return (
    <Loaded query={settings}>
      {({ optOutWords, optOutNotice, eventDays, contentDays, codeContentHours }) => (
        <Facts
          facts={[
            { name: t("setup.optOutWords.stop"), value: words(optOutWords?.stop, defaultOptOutWords.stop) },
            { name: t("setup.optOutWords.resume"), value: words(optOutWords?.resume, defaultOptOutWords.resume) },
            { name: t("setup.optOutNotice"), value: ownOr(optOutNotice, defaultOptOutNotice) },
            {
              name: t("setup.eventDays"),
              value: eventDays ?? t("rules.usual"),
            },
            { name: t("setup.contentDays"), value: span(contentDays) },
            { name: t("setup.codeContentHours"), value: span(codeContentHours) },
          ]}
        />
      )}
    </Loaded>
  );
}

// The form of one rule. The list that it stands in is written whole, with the tag of the state that
// was read: nobody's change is undone unseen.

/** As the API answers them: each list at its own path. */
type StoredRules = Readonly<Partial<Record<RuleSection, readonly Rule[]>>>;

interface RuleDialogProps {
  readonly kind: RuleKind;
  /** Absent: a new one. */
  readonly rule?: Rule;
}

function RuleDialog({ kind: { path, section, specs, initial }, rule }: RuleDialogProps) {
  const t = useTexts();
  const isNew = rule === undefined;
  const storedIn = (seen: StoredRules): readonly Rule[] => seen[section] ?? [];
  const fill = (seen: StoredRules): Rule => {
    const stored = storedIn(seen);
    return isNew ? {} : (stored[placeOf(stored, rule)] ?? rule);
  };
  return (
    <FormDialog<RuleEndpoint>
      button={t(isNew ? `rules.add.${section}` : "object.edit")}
      kind={isNew ? "plain" : "quiet"}
      title={isNew ? t(`rules.add.${section}`) : t("object.editTitle", { name: nameOfRule(rule) })}
      submit={t(isNew ? "object.add" : "object.save")}
      about={{ name: `GET ${path}`, params: {} }}
      specs={specs}
      initial={initial}
      fill={fill}
      onSubmit={async (given, { value, expected }) => {
        const stored = storedIn(value);
        const found = isNew ? -1 : placeOf(stored, rule);
        if (!isNew && found < 0) throw new Refused(t("rules.gone"));
        const kept = notShown(stored[found] ?? {}, [...specs.map((spec) => spec.name), "any"]);
        const rules = withRule(stored, rule, { ...kept, ...asGiven(section, given) });
        try {
          await callApi(`PUT ${path}`, { body: { [section]: rules }, expected });
        } catch (problem) {
          throw withFaultsOfRule(problem, section, found < 0 ? rules.length - 1 : found);
        }
      }}
    />
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
