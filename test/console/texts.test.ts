// Holds the two catalogues to each other and to the pages.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { connectorFields } from "../../src/connectors/connector-settings.ts";
import { accountFields } from "../../src/fields/account-fields.ts";
import type { SetupField } from "../../src/fields/field.ts";
import { en } from "../../console/src/texts/en.ts";
import { fa } from "../../console/src/texts/fa.ts";

const folder = fileURLToPath(new URL("../../console/src/", import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !/^texts[/\\](en|fa)\.ts$/.test(name))
  .map((name) => ({ name, code: withoutComments(readFileSync(path.join(folder, name), "utf8")) }));

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

const english: Readonly<Record<string, string>> = en;
const persian: Readonly<Record<string, string>> = fa;
const keys = Object.keys(english);
const everything = sources.map(({ code }) => code).join("\n");

/** Beginnings of keys whose ends are values: `state.${state}` */
const openKeys = [...everything.matchAll(/`([a-z][\w.]*\.)\$\{/g)].map((match) => match[1] ?? "");
/** Texts of keys that the setup declares: label, hint and heading. */
const declaredKeys = Object.entries({ account: accountFields, connectorField: connectorFields }).flatMap(
  ([object, fields]) =>
    Object.entries<SetupField>(fields).flatMap(([name, { section }]) =>
      [name, `${name}.hint`, `section.${section ?? ""}`].map((end) => `${object}.${end}`),
    ),
);
const isUsed = (key: string) =>
  everything.includes(`"${key}"`) ||
  declaredKeys.includes(key) ||
  openKeys.some((beginning) => key.startsWith(beginning));

const valuesOf = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe("the catalogues", () => {
  it("have the same texts in both languages, with the same values", () => {
    expect(Object.keys(persian)).toEqual(keys);
    const differ = keys.filter((key) => valuesOf(english[key]).join() !== valuesOf(persian[key]).join());
    expect(differ).toEqual([]);
  });

  it("have no text that no page uses", () => {
    expect(keys.length).toBeGreaterThan(150);
    expect(keys.filter((key) => !isUsed(key))).toEqual([]);
  });

  it("have every text that a page names", () => {
    // What looks like a key, and is none of a file's name or of the setup file.
    const beginnings = new Set(keys.map((key) => key.slice(0, key.indexOf("."))));
    const named = [...everything.matchAll(/"([a-z][A-Za-z]*)\.([A-Za-z.]+)"/g)].flatMap(([, first = "", rest = ""]) =>
      beginnings.has(first) && !/\.(tsx?|css|svg)$/.test(`.${rest}`) ? [`${first}.${rest}`] : [],
    );
    expect(named.length).toBeGreaterThan(100);
    const others = ["hodhod.language", "hodhod.theme", "message.delivered", "section.state"];
    expect(named.filter((key) => !keys.includes(key) && !others.includes(key))).toEqual([]);
    const emptyEnds = openKeys.filter((beginning) => !keys.some((key) => key.startsWith(beginning)));
    expect(emptyEnds.filter((beginning) => beginning !== "hodhod.")).toEqual([]);
  });

  it("are the only place of words: no page has any of its own", () => {
    const words = sources.flatMap(({ name, code }) =>
      [...code.matchAll(/(?<!=)>\s*([^<>{}()=;]*\p{L}{2,}[^<>{}()=;]*)</gu)].flatMap(([, text = ""]) =>
        name.endsWith(".tsx") ? [`${name}: ${text.trim()}`] : [],
      ),
    );
    // A language is named in itself; a command is the same in all.
    const allowed = [/switches\.tsx: (فارسی|English)$/, /: extends \w+$/, /: hodhod apply setup\.yaml$/];
    expect(words.filter((found) => !allowed.some((pattern) => pattern.test(found)))).toEqual([]);
  });

  it("are Persian with Persian letters, digits and marks", () => {
    const wrong = Object.entries(persian).filter(([, text]) => {
      const read = text.replace(/\{\w+\}/g, "ن").replace(/QR|API|IP|CSV|Alt|\(lease\)|\(secret\)|hodhod apply/g, "ن");
      return /[يكةى٠-٩0-9,;?A-Za-z]/.test(read) || /[ \u200c]{2}|\u200c /.test(read);
    });
    expect(wrong).toEqual([]);
    const inEnglish = Object.entries(english).filter(([, text]) => /[\u0600-\u06ff]|!|please|successfully/i.test(text));
    expect(inEnglish).toEqual([]);
  });
});
