// SQL that changes configured objects behind the back of the product, as no setup file does.

/** Puts keys into all objects of a section, or into those with a name. `keys`: an expression of JSON. */
export const changeObjects = (section: string, keys: string, name?: string): string =>
  `update configured_object set body = (body::jsonb || (${keys})::jsonb)::json
    where section = '${section}'${name === undefined ? "" : ` and name = ${name}`}`;

/** `body`: an expression of JSON. */
export const addObject = (section: string, name: string, body = "'{}'", position = "0"): string =>
  `insert into configured_object (section, name, position, body) values ('${section}', ${name}, ${position}, ${body})`;

/** In place of all settings that were given. */
export const putSettings = (body: object): string =>
  `${addObject("settings", "'settings'", `'${JSON.stringify(body)}'`)}
   on conflict (section, name) do update set body = excluded.body`;

export const secondFactor = (staffSecondFactor: "optional" | "required"): string => putSettings({ staffSecondFactor });

export const dropRules = "delete from configured_object where section = 'inboundRules'";

/** Lines take messages from all connectors. */
export const allowConnectors = changeObjects("lines", `'{"connectors": null}'`);
