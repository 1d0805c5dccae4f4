// The stored configuration by name, from its rows. Pure.
import { completeConnectorSettings, type ConnectorSettingsGiven } from "../connectors/connector-settings.ts";
import { accountFields, templateFields } from "../fields/account-fields.ts";
import { settingsFields } from "../fields/service-fields.ts";
import type { Fields, Values } from "../fields/field.ts";
import { groupBy } from "../platform/group-by.ts";
import { ruleListsOf } from "../sms/account-rules.ts";
import type { TariffPrice } from "../sms/tariff.ts";
import type { ConfigurationRows } from "../store/configuration.ts";
import type { AccountState, SetupState } from "./sections.ts";

export function stateOf(rows: ConfigurationRows): SetupState {
  const connectorNames = new Map(rows.connectors.map(({ id, name }) => [id, name]));
  return {
    operators: new Map(rows.operators.map(({ name, enabled, prefixes }) => [name, { prefixes, enabled }])),
    portedNumbers: new Map(rows.portedNumbers.map(({ number, operator }) => [number, { operator }])),
    connectors: new Map(
      rows.connectors.map(({ name, enabled, paused, settings }) => [
        name,
        // Validated when they were stored.
        { enabled, paused, ...completeConnectorSettings(settings as unknown as ConnectorSettingsGiven) },
      ]),
    ),
    lines: new Map(
      rows.lines.map(({ number, kind, inboundAccount: inbound, connectorIds, optOut }) => [
        number,
        { kind, inbound, connectors: connectorIds?.map((id) => nameOf(connectorNames, id)).sort() ?? null, optOut },
      ]),
    ),
    tariffs: new Map(
      rows.tariffs.map(({ name, prices }) => [
        name,
        { prices: prices.map((row) => ({ ...row, price: BigInt(row.price) }) as TariffPrice) },
      ]),
    ),
    accounts: accountStates(rows),
    templates: new Map(
      rows.accounts.flatMap(({ name: account, templates }) =>
        templates.map((template) => [template.id, pick(templateFields, { ...template, account })] as const),
      ),
    ),
    staff: new Map(rows.staff.map(({ username, ...staff }) => [username, staff])),
    routes: rows.routes.map(({ operator, line, connectorIds }) => ({
      operator,
      line,
      connectors: connectorIds.map((id) => nameOf(connectorNames, id)),
    })),
    // Stored as they were read.
    ...(ruleListsOf(rows.rules) as Pick<SetupState, "blockLists" | "sendingHours" | "contentRules" | "inboundRules">),
    settings: pick(settingsFields, rows.settings),
    importedOperators: new Set(
      rows.operators.filter(({ hasImportedNumbers }) => hasImportedNumbers).map(({ name }) => name),
    ),
    blockListNames: new Set(rows.blockLists.map(({ name }) => name)),
  };
}

/** The declared keys of a row, in their order. */
function pick<Declared extends Fields>(fields: Declared, row: Values<Declared>): Values<Declared> {
  return Object.fromEntries(Object.keys(fields).map((key) => [key, row[key]])) as Values<Declared>;
}

function accountStates(rows: ConfigurationRows): ReadonlyMap<string, AccountState> {
  const tariffNames = new Map(rows.tariffs.map(({ id, name }) => [id, name]));
  const endpoints = groupBy(rows.endpoints, ({ accountId }) => accountId);
  return new Map(
    rows.accounts.map(({ id, name, tariffId, unlimited, balance, users, apiKeys, ...account }) => {
      const state = {
        ...account,
        tariff: nameOf(tariffNames, tariffId),
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

function nameOf(names: ReadonlyMap<number, string>, id: number): string {
  const name = names.get(id);
  // Foreign keys rule this out.
  if (name === undefined) throw new Error(`the configuration refers to an object ${id} that does not exist`);
  return name;
}
