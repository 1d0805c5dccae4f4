import { describe, expect, it } from "vitest";
import {
  abilitiesOfStaff,
  abilitiesOfUser,
  isStaffRole,
  roleAllows,
  staffRoles,
  userRoles,
} from "../../src/credentials/abilities.ts";

describe("abilities", () => {
  it("of staff are those of the table", () => {
    expect(staffRoles.map((role) => [role, abilitiesOfStaff(role).join(" ")])).toEqual([
      ["administrator", "see network accounts credit texts cancel audit staff setup"],
      ["operator", "see network texts cancel audit"],
      ["sales", "see accounts credit"],
      ["viewer", "see"],
    ]);
  });

  it("of users are those of the table", () => {
    expect(userRoles.map((role) => [role, abilitiesOfUser(role).join(" ")])).toEqual([
      ["owner", "look send manage"],
      ["sender", "look send"],
      ["reader", "look"],
    ]);
  });

  it.each(["send", "send-template", "send-bulk", "send-url", "send-url-credentials", "cancel", "preview"])(
    "a reader may not %s, a sender may",
    (permission) => {
      expect([roleAllows("reader", permission), roleAllows("sender", permission)]).toEqual([false, true]);
    },
  );

  it.each(["status", "received", "balance"])("everybody may ask for %s", (permission) => {
    expect(userRoles.every((role) => roleAllows(role, permission))).toBe(true);
  });

  it.each(["root", "", "toString", "__proto__"])("%j is no role", (name) => expect(isStaffRole(name)).toBe(false));
});
