// The console in a browser: a front door that listens, people of the staff with `staffPassword`, and Chromium.
import type { Browser } from "playwright-core";
import { addStaff } from "../../src/credentials/staff.ts";
import { buildConsole, listen, openBrowser } from "./browser.ts";
import { staffPassword } from "./console.ts";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

export interface OpenConsole {
  readonly door: FrontDoor;
  readonly base: string;
  readonly browser: Browser;
  readonly close: () => Promise<void>;
}

type Role = Parameters<typeof addStaff>[1]["role"];

/** `staff`: role by username. */
export async function openConsole(staff: Readonly<Record<string, Role>>): Promise<OpenConsole> {
  buildConsole();
  const door = await openFrontDoor();
  const base = await listen(door);
  const browser = await openBrowser();
  const by = { db: door.db, actor: { who: "command:test@test" } };
  for (const [username, role] of Object.entries(staff)) await addStaff(by, { username, password: staffPassword, role });
  const close = async (): Promise<void> => {
    await browser.close();
    await door.close();
  };
  return { door, base, browser, close };
}
