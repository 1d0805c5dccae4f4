// The form of one rule. The list that it stands in is written whole, with the tag of the state that
// was read: nobody's change is undone unseen.
import { useQueryClient } from "@tanstack/react-query";
import { ApiProblem, Refused, type PathOf } from "../../api/client.ts";
import { putTagged } from "../../api/tagged.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { readFields, type FieldSpec } from "../../parts/object/field-spec.ts";
import { notShown } from "../../parts/object/merge-typed.ts";
import { isOfService } from "../../parts/object/object-dialog.tsx";
import { ObjectFields } from "../../parts/object/object-fields.tsx";
import { tagOf, TaggedFields } from "../../parts/tagged-fields.tsx";
import { useTexts } from "../../texts/texts.ts";
import { asFaultsOfRule, asGiven, placeOf, type Rule, withRule } from "./rule-list.ts";

export type RuleSection = "sendingHours" | "contentRules" | "inboundRules" | "blockLists";

export type RuleEndpoint = "GET /sending-hours" | "GET /content-rules" | "GET /inbound-rules" | "GET /block-list-rules";

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
