// The stored configuration by name, from its rows. Pure.
import { accountFields, templateFields } from "../fields/account-fields.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { type Fields, storedValues, type Values } from "../fields/field.ts";
import { groupBy } from "../platform/group-by.ts";
import type { ConfigurationRows } from "../store/configuration.ts";
import {
  type AccountState,
  listNames,
  listSections,
  namedSections,
  objectTables,
  type SetupState,
} from "./sections.ts";

export function stateOf(rows: ConfigurationRows): SetupState {
  const { objects } = rows;
  const named = objectTables.map((section) => [
    section,
    new Map(objects[section].map(({ name, body }) => [name, storedValues(namedSections[section].fields, body)])),
  ]);
  const lists = listNames.map((section) => [
    section,
    objects[section].map(({ body }) => storedValues(listSections[section].fields, body)),
  ]);
  return {
    // Each was restored by the declaration of its type.
    ...(Object.fromEntries([...named, ...lists]) as Pick<
      SetupState,
      (typeof objectTables)[number] | (typeof listNames)[number]
    >),
    portedNumbers: new Map(rows.portedNumbers.map(({ number, operator }) => [number, { operator }])),
    accounts: accountStates(rows),
    templates: new Map(
      rows.accounts.flatMap(({ name: account, templates }) =>
        templates.map((template) => [template.id, pick(templateFields, { ...template, account })] as const),
      ),
    ),
    staff: new Map(rows.staff.map(({ username, ...staff }) => [username, staff])),
    settings: storedValues(settingsFields, objects.settings[0]?.body ?? {}),
    importedOperators: new Set(rows.importedOperators),
    blockListNames: new Set(rows.listNames),
  };
}

/** The declared keys of a row, in their order. */
function pick<Declared extends Fields>(fields: Declared, row: Values<Declared>): Values<Declared> {
  return Object.fromEntries(Object.keys(fields).map((key) => [key, row[key]])) as Values<Declared>;
}

function accountStates(rows: ConfigurationRows): ReadonlyMap<string, AccountState> {
  const endpoints = groupBy(rows.endpoints, ({ accountId }) => accountId);
  return new Map(
    rows.accounts.map(({ id, name, unlimited, balance, users, apiKeys, ...account }) => {
      const state = {
        ...account,
        credit: unlimited ? ("unlimited" as const) : null,
        users: new Map(users.map(({ username, passwordHash: password, role }) => [username, { password, role }])),
        apiKeys: new Map(
          apiKeys.map(({ name: given, sha256Hex: key, allowedIps, expiresAt: expires }) => [
            given,
            { key, allowedIps, expires },
          ]),
        ),
        webhooks: new Map(
          endpoints
            .get(id)
            ?.map(({ name: given, url, events, batchSize, enabled, secret }) => [
              given,
              { url, events, batchSize, enabled, secret },
            ]),
        ),
      };
      return [name, { ...pick(accountFields, state), balance }];
    }),
  );
}
