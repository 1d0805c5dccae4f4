// The stored configuration as a setup file, without secrets, users, API keys and credit. Applying
// it unchanged changes nothing, because absent keys stay as they are. Pure.
import { stringify } from "yaml";
import type {
  AccountState,
  ConnectorState,
  LineState,
  SettingsState,
  SetupState,
  TemplateState,
} from "./setup-state.ts";

/** YAML text. */
export function exportSetup(state: SetupState): string {
  return stringify(
    {
      operators: byName(state.operators, "name", ({ prefixes, enabled }) => ({ prefixes: sorted(prefixes), enabled })),
      portedNumbers: byName(state.portedNumbers, "number", (operator) => ({ operator })),
      connectors: byName(state.connectors, "name", connectorKeys),
      routes: state.routes.map(({ operator, line, connectors }) => ({ operator, line, connectors })),
      lines: byName(state.lines, "number", lineKeys),
      tariffs: byName(state.tariffs, "name", (prices) => ({ prices })),
      accounts: byName(state.accounts, "name", (account) => ({ ...accountKeys(account), ...webhookKeys(account) })),
      templates: byName(state.templates, "id", templateKeys),
      ...settingsKeys(state.settings),
      ...state.rules,
    },
    // Every value in full where it is used: no anchors, no folded lines.
    { aliasDuplicateObjects: false, lineWidth: 0 },
  );
}

/** `systemLines` and the words only where they are set. */
export function settingsKeys(settings: SettingsState): object {
  const { service, advertising, optOutStop, optOutResume, optOutNotice, eventDays, ...rest } = settings;
  const systemLines = { ...(service !== null && { service }), ...(advertising !== null && { advertising }) };
  const optOutWords = {
    ...(optOutStop !== null && { stop: optOutStop }),
    ...(optOutResume !== null && { resume: optOutResume }),
  };
  return {
    ...(Object.keys(systemLines).length > 0 && { systemLines }),
    ...rest,
    ...(eventDays !== null && { eventDays }),
    ...(Object.keys(optOutWords).length > 0 && { optOutWords }),
    ...(optOutNotice !== null && { optOutNotice }),
  };
}

function byName<State>(
  states: ReadonlyMap<string, State>,
  key: string,
  keysOf: (state: State) => object,
): readonly object[] {
  return [...states]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, state]) => ({ [key]: name, ...keysOf(state) }));
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...texts].sort();
}

export function connectorKeys({ settings, enabled, paused }: ConnectorState): object {
  return { ...settings, password: undefined, enabled, paused };
}

export function lineKeys({ kind, inbound, connectors, optOut }: LineState): object {
  return {
    kind,
    ...(inbound !== null && { inbound }),
    ...(connectors !== null && { connectors }),
    ...(optOut !== null && { optOut }),
  };
}

export function accountKeys(account: AccountState): object {
  const { domain, tariff, lines, permissions, requestsPerSecond, allowedIps, blockedRecipients, unlimited, lowCredit } =
    account;
  const { duplicateSeconds, dailyMessages, monthlyCost } = account;
  return {
    domain,
    ...(unlimited && { credit: "unlimited" }),
    tariff,
    lines: sorted(lines),
    permissions,
    requestsPerSecond,
    allowedIps,
    blockedRecipients: sorted(blockedRecipients),
    ...{ lowCredit, duplicateSeconds, dailyMessages, monthlyCost },
  };
}

export function apiKeysWithoutSecrets({ apiKeys }: Pick<AccountState, "apiKeys">): readonly object[] {
  return [...apiKeys].map(([name, { allowedIps, expiresAt }]) => ({
    ...{ name, allowedIps },
    ...(expiresAt !== null && { expires: expiresAt.toISOString() }),
  }));
}

/** Without secrets; absent where there are none, so that the file takes none away. */
export function webhookKeys({ endpoints }: Pick<AccountState, "endpoints">): { readonly webhooks?: readonly object[] } {
  if (endpoints.size === 0) return {};
  const webhooks = [...endpoints].map(([name, { url, events, batchSize, enabled }]) => ({
    ...{ name, url, events, batchSize, enabled },
  }));
  return { webhooks };
}

export function templateKeys({
  account,
  content,
  sender,
  approved,
  refused,
  validSeconds,
  purpose,
}: TemplateState): object {
  return {
    account,
    content,
    ...(sender !== null && { sender }),
    approved,
    ...(refused !== null && { refused }),
    ...(validSeconds !== null && { validSeconds }),
    purpose,
  };
}
