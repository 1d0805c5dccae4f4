// What the objects of the configuration look like in the console's API: made of the declarations of
// their fields, with the keys of the setup file and without secrets.
import {
  type Fields,
  type KeyedValue,
  type ListValue,
  type RecordValue,
  type RowsValue,
  type SetupField,
  string as stringField,
  tlsVersions,
  type WordOrObjectValue,
} from "../../fields/field.ts";
import { settingsFields } from "../../fields/service-fields.ts";
import { longestPem } from "../../setup/read-value.ts";
import { type ObjectName, isList, isNamed, listSections, namedSections } from "../../setup/sections.ts";
import {
  type TSchema,
  anyOf,
  array,
  boolean,
  decimal,
  integer,
  literal,
  object,
  oneOf,
  orAbsent,
  plainText,
  record,
} from "../json-schema.ts";

const ca = orAbsent(plainText({ maxLength: longestPem, description: "PEM text." }));
const cert = orAbsent(plainText({ maxLength: longestPem, description: "PEM text." }));
const minVersion = orAbsent(oneOf(tlsVersions));
const tls = anyOf([boolean(), object({ ca, cert, verify: boolean(), minVersion })]);

export function schemaOfField(field: SetupField): TSchema {
  const described = field.note === undefined ? {} : { description: field.note };
  switch (field.kind) {
    case "text":
      return plainText({ maxLength: field.max, ...described });
    case "choice":
      return oneOf(field.words, described);
    case "whole":
      if (field.auto === true) return anyOf([literal("auto"), integer()]);
      return integer({ minimum: field.min, maximum: field.max, ...described });
    case "number":
      return decimal({ minimum: field.min, maximum: field.max, ...described });
    case "rials":
      return integer(described);
    case "credit":
      return literal("unlimited", described);
    case "yesNo":
      return boolean(described);
    case "yes":
      return literal(true);
    case "instant":
      return plainText({ format: "date-time", ...described });
    case "tls":
      return tls;
    default:
      return schemaOfMany(field, described);
  }
}

function schemaOfMany(
  field: ListValue | RowsValue | RecordValue | WordOrObjectValue | KeyedValue,
  described: TSchema,
): TSchema {
  switch (field.kind) {
    case "list":
      return array(schemaOfField(field.of), { maxItems: field.most, ...described });
    case "rows":
      return array(object(propertiesOf(field.fields)), { maxItems: field.most, ...described });
    case "record":
      return record(schemaOfField(field.of));
    case "wordOrObject": {
      const { [field.key]: word = {}, ...others } = propertiesOf(field.fields);
      return anyOf([word, object({ [field.key]: word, ...others })]);
    }
    case "keyed":
      return array(object({ [field.key]: schemaOfField(field.name), ...propertiesOf(field.fields) }), described);
  }
}

/** As answers have them; of a secret, whether it is set. What only some readers see may be absent. */
export function propertiesOf(fields: Fields): Readonly<Record<string, TSchema>> {
  const properties: Record<string, TSchema> = {};
  for (const [key, field] of Object.entries(fields)) {
    const { nullable, kept, kind, secret, hiddenIn, within } = field;
    if (hiddenIn === "console" || (within !== undefined && secret !== true)) continue;
    const schema = schemaOfField(field);
    const mayLack = nullable === true || field.optional === true || kept === true || kind === "credit";
    if (secret === true) properties[`${key}Set`] = boolean("The secret itself is never told.");
    else properties[key] = mayLack ? orAbsent(schema) : schema;
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
    const row = object(propertiesOf(listSections[section].fields));
    return object({ [section]: array(row) });
  }
  if (!isNamed(section)) return settings;
  const { key, name, fields } = namedSections[section];
  const own = section === "accounts" ? { balance, unlimited } : section === "lines" ? { receiver } : {};
  return object({ [key]: schemaOfField(name), ...propertiesOf(fields), ...own });
}

const receiver = orAbsent(plainText("In lists: `inbound`, or the only account that has the line."));
/** Customers see the credit if they may. */
const balance = orAbsent(integer("Its credit, in rials."));
const unlimited = orAbsent(boolean("Without a limit the balance may be below zero."));

const lineNumber = orAbsent(schemaOfField(stringField(20, "lineNumber")));
const words = orAbsent(schemaOfField(settingsFields.optOutStop));

const settings = object({
  systemLines: object(
    { service: lineNumber, advertising: lineNumber },
    "The lines of templates with `sender: service` or `advertising`.",
  ),
  optOutWords: orAbsent(object({ stop: words, resume: words })),
  ...propertiesOf(settingsFields),
});
