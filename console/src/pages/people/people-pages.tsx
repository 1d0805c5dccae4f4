// Who may use the console, and as what: of staff, and of one's own account.
import { staffPath, usersPath } from "../../api/types.ts";
import { usePerson } from "../../frame/person.ts";
import { PageHead } from "../../parts/page.tsx";
import { useTexts } from "../../texts/texts.ts";
import { AddPerson, PeopleList } from "./people.tsx";

const roles = ["administrator", "operator", "sales", "viewer"] as const;

export function StaffPage() {
  const t = useTexts();
  const { username } = usePerson();
  return (
    <>
      <PageHead
        title={t("staff.title")}
        lead={t("staff.lead")}
        actions={<AddPerson path={staffPath} roles={roles} button={t("staff.add")} />}
      />
      <PeopleList path={staffPath} title={t("staff.title")} roles={roles} own={username} />
    </>
  );
}

// The users of an account: of one's own, and for staff on the page of the account.

export const userRoles = ["owner", "sender", "reader"] as const;

export function UsersPage() {
  const t = useTexts();
  const { username, account = "" } = usePerson();
  const path = usersPath(account);
  return (
    <>
      <PageHead
        title={t("users.title")}
        lead={t("users.lead")}
        actions={<AddPerson path={path} roles={userRoles} button={t("users.add")} />}
      />
      <PeopleList path={path} title={t("users.title")} roles={userRoles} own={username} />
    </>
  );
}
