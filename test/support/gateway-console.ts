// Calls of the console's API to a whole gateway, over its port.
import { addStaff, staffPassword } from "./console.ts";
import type { TestGateway } from "./gateway.ts";

export interface GatewayConsoleAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function callGatewayConsole(
  gateway: TestGateway,
  method: string,
  path: string,
  { headers, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: object } = {},
): Promise<GatewayConsoleAnswer> {
  const answer = await gateway.call(method, `console/api${path}`, {
    key: null,
    headers: { "x-hodhod-console": "1", ...headers },
    ...(body && { body }),
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.text) as Record<string, unknown> };
}

/** The Cookie header of a new session. */
export async function signInAtGateway(
  gateway: TestGateway,
  person: { readonly username: string; readonly password: string; readonly organisation?: string },
): Promise<string> {
  const { status, headers, body } = await callGatewayConsole(gateway, "POST", "/session", { body: person });
  const [cookie] = headers.getSetCookie();
  if (status !== 200 || cookie === undefined) throw new Error(`not signed in: ${status} ${JSON.stringify(body)}`);
  return cookie.split(";", 1)[0] ?? "";
}

/** The Cookie header of a new administrator. */
export async function signInAdministrator(gateway: TestGateway): Promise<string> {
  const person = { username: "administrator", password: staffPassword };
  await addStaff({ db: gateway.db, actor: { who: "command:test@test" } }, { ...person, role: "administrator" });
  return signInAtGateway(gateway, person);
}
