// What --prune leaves of a state: the objects that the file names, directly or as a reference, and
// those that they need. So objects in use stay, and no reference dangles. Pure.
import { referencesIn, referencesOf } from "./references.ts";
import { type Given, listNames, listSections, namedSections, type Setup, type SetupState } from "./sections.ts";

/** In an order in which objects stand before those that they refer to. */
const order = ["portedNumbers", "templates", "accounts", "tariffs", "lines", "connectors", "operators"] as const;

/** `desired` is the state with the file already applied. */
export function pruneState(desired: SetupState, setup: Setup): SetupState {
  const needed = new Map<string, Set<string>>(order.map((section) => [section, new Set()]));
  const need = ({ section, name }: { readonly section: string; readonly name: string }): void => {
    needed.get(section)?.add(name);
  };
  for (const section of order)
    for (const { name } of setup[section] as readonly Given<unknown>[]) need({ section, name });
  for (const reference of referencesIn(setup)) need(reference);
  for (const name of desired.importedOperators) need({ section: "operators", name });
  for (const name of [desired.settings.service, desired.settings.advertising])
    if (name !== null) need({ section: "lines", name });
  // Lists that the file does not have are empty afterwards.
  const lists = Object.fromEntries(
    listNames.map((section) => [section, setup[section] === undefined ? [] : desired[section]]),
  );
  for (const section of listNames)
    for (const row of lists[section] ?? [])
      for (const reference of referencesOf(listSections[section].fields, row)) need(reference);

  const kept = Object.fromEntries(
    order.map((section) => {
      const states = [...(desired[section] as ReadonlyMap<string, object>)].filter(([name]) =>
        needed.get(section)?.has(name),
      );
      for (const [, values] of states)
        for (const reference of referencesOf(namedSections[section].fields, values)) need(reference);
      return [section, new Map(states)];
    }),
  );
  const pruned = { ...desired, ...lists, ...kept } as SetupState;
  const named = new Set(setup.staff.map(({ name }) => name));
  const staff = setup.saysStaff ? new Map([...desired.staff].filter(([name]) => named.has(name))) : desired.staff;
  return { ...pruned, staff, lines: withoutLostInbound(pruned) };
}

/**
 * A line does not keep alive an account that once received its messages, unless the file says so.
 */
function withoutLostInbound({ lines, accounts }: SetupState): SetupState["lines"] {
  return new Map(
    [...lines].map(([number, line]) => [
      number,
      line.inbound === null || accounts.has(line.inbound) ? line : { ...line, inbound: null },
    ]),
  );
}
