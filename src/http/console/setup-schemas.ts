// What the objects of the configuration look like in the console's API: made of the declarations of
// their fields, with the keys of the setup file and without secrets.
import { type SetupField, type Fields, string } from "../../fields/field.ts";
import { settingsFields } from "../../fields/settings-fields.ts";
import { longestPem } from "../../setup/read-value.ts";
import { isList, isNamed, listSections, namedSections, type ObjectName } from "../../setup/sections.ts";
import { Type, type TSchema } from "../json-schema.ts";
import { exactly, inRials } from "./console-endpoint.ts";

const ca = Type.Optional(Type.String({ maxLength: longestPem, description: "PEM text." }));
const tls = Type.Union([Type.Boolean(), Type.Object({ ca, verify: Type.Boolean() }, exactly)]);

function schemaOfField(field: SetupField): TSchema {
  const described = field.note === undefined ? {} : { description: field.note };
  switch (field.kind) {
    case "text":
      return Type.String({ maxLength: field.max, ...described });
    case "choice":
      return oneOf(field.words, described);
    case "whole":
      if (field.auto === true) return Type.Union([Type.Literal("auto"), Type.Integer()]);
      return Type.Integer({ minimum: field.min, maximum: field.max, ...described });
    case "number":
      return Type.Number({ minimum: field.min, maximum: field.max, ...described });
    case "rials":
      return Type.Integer(described);
    case "credit":
      return Type.Literal("unlimited", described);
    case "yesNo":
      return Type.Boolean(described);
    case "yes":
      return Type.Literal(true);
    case "instant":
      return Type.String({ format: "date-time", ...described });
    case "tls":
      return tls;
    case "list":
      return Type.Array(schemaOfField(field.of), { maxItems: field.most, ...described });
    case "rows":
      return Type.Array(Type.Object(propertiesOf(field.fields), exactly), { maxItems: field.most, ...described });
    case "keyed":
      return Type.Array(
        Type.Object({ [field.key]: schemaOfField(field.name), ...propertiesOf(field.fields) }, exactly),
        described,
      );
  }
}

function oneOf(words: readonly string[], options: Readonly<Record<string, unknown>>): TSchema {
  const [word = ""] = words;
  return words.length === 1
    ? Type.Literal(word, options)
    : Type.Union(
        words.map((each) => Type.Literal(each)),
        options,
      );
}

/** As answers have them; of a secret, whether it is set. What only some readers see may be absent. */
function propertiesOf(fields: Fields): Readonly<Record<string, TSchema>> {
  const properties: Record<string, TSchema> = {};
  for (const [key, field] of Object.entries(fields)) {
    const { nullable, optional, kept, kind, secret, hiddenIn, within } = field;
    if (hiddenIn === "console" || within !== undefined) continue;
    const schema = schemaOfField(field);
    const mayLack = nullable === true || optional === true || kept === true || kind === "credit";
    if (secret === true) properties[`${key}Set`] = Type.Boolean({ description: "The secret itself is never told." });
    else properties[key] = mayLack ? Type.Optional(schema) : schema;
  }
  return properties;
}

export const connectorProperties = {
  name: schemaOfField(namedSections.connectors.name),
  ...propertiesOf(namedSections.connectors.fields),
};

/** An object as GET answers it. */
export function schemaOf(section: ObjectName["section"]): TSchema {
  if (isList(section)) {
    const row = Type.Object(propertiesOf(listSections[section].fields), exactly);
    return Type.Object({ [section]: Type.Array(row) }, exactly);
  }
  if (!isNamed(section)) return settings;
  const { key, name, fields } = namedSections[section];
  const own = section === "accounts" ? { balance, unlimited } : {};
  return Type.Object({ [key]: schemaOfField(name), ...propertiesOf(fields), ...own }, exactly);
}

/** Customers see the credit if they may. */
const balance = Type.Optional(inRials("Its credit, in rials."));
const unlimited = Type.Optional(Type.Boolean({ description: "Without a limit the balance may be below zero." }));

const lineNumber = Type.Optional(schemaOfField(string(20, "lineNumber")));
const words = Type.Optional(schemaOfField(settingsFields.optOutStop));

const settings = Type.Object(
  {
    systemLines: Type.Object(
      { service: lineNumber, advertising: lineNumber },
      { ...exactly, description: "The lines of templates with `sender: service` or `advertising`." },
    ),
    optOutWords: Type.Optional(Type.Object({ stop: words, resume: words }, exactly)),
    ...propertiesOf(settingsFields),
  },
  exactly,
);
