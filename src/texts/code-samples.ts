// Programs that send one message, in eight languages, each with what the language brings along: files
// in console/src/pages/code/samples, in which the call is filled in, for the console's pages and for
// the guides. Pure. Each is run or parsed by test/console/samples.test.ts.

export type SampleValue = string | readonly SampleValue[] | { readonly [key: string]: SampleValue };

export interface SampleCall {
  /** Where the gateway answers, such as https://sms.example.com */
  readonly base: string;
  readonly path: "/messages/send" | "/messages/send/template";
  readonly body: SampleValue;
}

export interface Sample {
  readonly name: string;
  /** Names the language in Markdown. */
  readonly fence: string;
  readonly file: string;
  /** Absent: the call stands there as JSON. */
  readonly style?: Style;
}

export const keyPlaceholder = "YOUR_API_KEY";
export const linePlaceholder = "YOUR_LINE";
/** Of a parameter of a template. */
export const valuePlaceholder = "471129";
const recipientNumber = "09121234567";

export function textCall(base: string, line: string): SampleCall {
  return { base, path: "/messages/send", body: { senderNumber: line, recipientNumber, content: "Hodhod" } };
}

export interface SampleTemplate {
  readonly id: string;
  /** Absent: the caller chooses the line. */
  readonly sender?: string | undefined;
  /** The names of its placeholders. */
  readonly parameters: readonly string[];
}

export function templateCall(base: string, { id, sender, parameters }: SampleTemplate): SampleCall {
  return {
    base,
    path: "/messages/send/template",
    body: {
      ...(sender === undefined && { senderNumber: linePlaceholder }),
      ...{ recipientNumber, templateId: id },
      parameters: parameters.map((name) => ({ name, value: valuePlaceholder })),
    },
  };
}

/** How a language writes a value. */
interface Style {
  readonly object: readonly [open: string, close: string];
  readonly list: readonly [open: string, close: string];
  readonly key: (name: string) => string;
  /** Of what stands one level deeper; absent: four blanks. */
  readonly step?: string;
}

/** Nothing in the values needs another form of quotation marks than that of JSON. */
const quoted = (text: string): string => JSON.stringify(text);

/** `indent`: of the line that the value begins on. */
function literal(value: SampleValue, style: Style, indent: string): string {
  if (typeof value === "string") return quoted(value);
  const inner = indent + (style.step ?? "    ");
  const written = (each: SampleValue): string => literal(each, style, inner);
  const isList = Array.isArray(value);
  const [open, close] = isList ? style.list : style.object;
  const items = isList
    ? value.map(written)
    : Object.entries(value).map(([name, each]) => style.key(name) + written(each));
  if (items.length === 0) return open + close;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}

const styles = {
  node: { object: ["{", "}"], list: ["[", "]"], key: (name) => `${name}: `, step: "  " },
  python: { object: ["{", "}"], list: ["[", "]"], key: (name) => `${quoted(name)}: ` },
  php: { object: ["[", "]"], list: ["[", "]"], key: (name) => `${quoted(name)} => ` },
  csharp: { object: ["new {", "}"], list: ["new object[] {", "}"], key: (name) => `${name} = ` },
  go: { object: ["map[string]any{", "}"], list: ["[]any{", "}"], key: (name) => `${quoted(name)}: `, step: "\t" },
} as const satisfies Readonly<Record<string, Style>>;

/** Of an order, or of an attempt to log in: a caller puts its own in its place. */
export function exampleKey({ path }: SampleCall): string {
  return path === "/messages/send" ? "order-1042" : "login-7f3a91";
}

/** The program of a file in console/src/pages/code/samples, for this call. */
export function sampleText(program: string, { style }: Sample, call: SampleCall): string {
  const values = { ...call, id: exampleKey(call), json: JSON.stringify(call.body) };
  const filled =
    style === undefined
      ? program
      : program.replace(/^([ \t]*)(.*)\{\{body\}\}/gm, (_, indent: string, before: string) => {
          return indent + before + literal(call.body, style, indent);
        });
  return filled.replace(/\{\{(base|path|id|json)\}\}/g, (_, name: "base" | "path" | "id" | "json") => values[name]);
}

export const codeSamples: readonly Sample[] = [
  { name: "curl", fence: "sh", file: "curl.sh" },
  { name: "Node.js", fence: "js", file: "node.mjs", style: styles.node },
  { name: "Python", fence: "python", file: "python.py", style: styles.python },
  { name: "PHP", fence: "php", file: "php.php", style: styles.php },
  { name: "Laravel", fence: "php", file: "laravel.php", style: styles.php },
  { name: "C#", fence: "csharp", file: "csharp.cs", style: styles.csharp },
  { name: "Go", fence: "go", file: "go.go", style: styles.go },
  { name: "Java", fence: "java", file: "java.java" },
];
