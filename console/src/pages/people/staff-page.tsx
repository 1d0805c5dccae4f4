// Who of staff may use the console, and as what.
import { staffPath } from "../../api/people.ts";
import { usePerson } from "../../frame/person.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { useTexts } from "../../texts/texts.ts";
import { PeopleList } from "./people-list.tsx";
import { AddPerson } from "./person-actions.tsx";

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
