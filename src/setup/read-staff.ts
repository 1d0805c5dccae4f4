// Reads the staff of a setup file.
import { isStaffRole, staffRoles, type StaffRole } from "../credentials/abilities.ts";
import { isStaffName } from "../credentials/people.ts";
import {
  choice,
  newPassword,
  type ObjectReader,
  textOf,
  ValueFault,
  yesOrNo,
  type ValueReader,
} from "./read-values.ts";
import type { StaffSetup } from "./setup.ts";

export function readStaff(reader: ObjectReader): StaffSetup | undefined {
  reader.expectKeys(["username", "password", "role", "enabled"]);
  const username = reader.required("username", staffName);
  const password = reader.optional("password", newPassword(username));
  const role = reader.optional("role", choice<StaffRole>(staffRoles.filter(isStaffRole)));
  const enabled = reader.optional("enabled", yesOrNo);
  return username === undefined ? undefined : { path: reader.path, username, password, role, enabled };
}

const staffName: ValueReader<string> = (value) => {
  const text = textOf(value) ?? "";
  return isStaffName(text)
    ? text
    : new ValueFault("must have 1 to 64 ASCII letters, digits and . _ @ -, and begin with a letter or digit");
};
