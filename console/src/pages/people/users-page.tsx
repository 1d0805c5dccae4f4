// The users of an account: of one's own, and for staff on the page of the account.
import { usersPath } from "../../api/people.ts";
import { usePerson } from "../../frame/person.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { useTexts } from "../../texts/texts.ts";
import { PeopleList } from "./people-list.tsx";
import { AddPerson } from "./person-actions.tsx";

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
