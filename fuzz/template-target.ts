// Templates and their values: a value is put in as it is and never read as a template, a limit is a
// limit, and what comes out can be sent.
import { maximumValueCharacters, renderTemplate, type TemplateParameter } from "../src/sms/template.ts";
import { isFault } from "../src/sms/fault.ts";
import { judge, termsWith } from "./account-terms.ts";
import { mutateText, oddTexts } from "./mutate.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, type Target } from "./target.ts";
import { writeExpression, type Value } from "./value.ts";

interface TemplateInput {
  readonly [key: string]: Value;
  readonly content: string;
  /** Name and value. */
  readonly parameters: readonly (readonly [string, string | null])[];
}

const names = ["code", "name", "item-1", "نام", "a_b", "1", "__proto__", "constructor"];
const contents = [
  "کد ورود شما: {code}",
  "Hello {name}, {item-1}",
  "{a_b}{a_b}",
  "{نام} عزیز",
  "{__proto__}{constructor}",
  "Sale!",
];

function generate(random: Random): TemplateInput {
  const content = random.chance(0.6) ? random.pick(contents) : mutateText(random, random.pick(contents), "{{code}}");
  const value = (): string | null => {
    if (random.chance(0.1)) return null;
    if (random.chance(0.3)) return random.pick(oddTexts).repeat(random.between(1, 2 * maximumValueCharacters + 3));
    return random.chance(0.5) ? mutateText(random, "123456", random.pick(oddTexts)) : `{${random.pick(names)}}`;
  };
  const used = [...content.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? "");
  const named = random.chance(0.8) ? used : random.list(0, 6, () => random.pick([...names, ...oddTexts]));
  return { content, parameters: named.map((name) => [name, value()] as const) };
}

function check({ content, parameters: pairs }: TemplateInput): void {
  const parameters: TemplateParameter[] = pairs.map(([name, value]) => ({ name, value }));
  const template = { id: "t", content, sender: "10001234", approved: true };
  const rendered = renderTemplate(template, parameters, 10);
  if (!isFault(rendered)) {
    const values = new Map(pairs);
    const longest = Math.max(0, ...[...values.values()].map((value) => Array.from(value ?? "").length));
    demand(
      rendered.content.length <= content.length + 2 * longest * content.length,
      "a text longer than its values allow",
    );
    demand(rendered.content === fillByPieces(content, values), "a value was not put in as it is");
  }
  judge({ recipientNumber: "09121234567", templateId: "t", parameters, source: "json" }, termsWith([template]));
}

/** The same, another way: cut at the placeholders. */
function fillByPieces(content: string, values: ReadonlyMap<string, string | null>): string {
  const pieces = content.split(/(\{[\p{L}\p{Nd}_-]+\})/u);
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : (values.get(piece.slice(1, -1)) ?? ""))).join("");
}

export const templateTarget: Target = defineTarget<TemplateInput>({
  from: import.meta.url,
  name: "templates",
  title: "templates and their values: filling, limits, rule book",
  budgetMs: 10_000,
  growthMegabytes: 16,
  generate,
  open: async () => ({ check, close: async () => undefined }),
  write: writeExpression,
});
