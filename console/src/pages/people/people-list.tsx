// People who may sign in, of staff or of an account: who they are, what they may do, and what can
// be done about it.
import { useList } from "../../api/lists.ts";
import type { PeoplePath, Somebody } from "../../api/people.ts";
import { roleText } from "../../frame/role-text.ts";
import { EndlessList } from "../../parts/endless-list.tsx";
import { Moment } from "../../parts/moment.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { StateSign } from "../../parts/state.tsx";
import type { Column } from "../../parts/table.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import { ChangePerson, RemovePerson, ResetSecondFactor } from "./person-actions.tsx";
import styles from "./people.module.css";

export interface PeopleProps {
  /** Of the API: all of them. */
  readonly path: PeoplePath;
  readonly title: string;
  readonly roles: readonly string[];
  /** The one who looks, if they are among them. */
  readonly own?: string | undefined;
}

export function PeopleList({ path, title, roles, own }: PeopleProps) {
  const t = useTexts();
  const query = useList<"GET /staff" | "GET /accounts/{name}/users">(path);
  return (
    <EndlessList
      name={title}
      query={query}
      keyOf={({ username }) => username}
      columns={columnsOf(t, { path, roles, own })}
      empty={<p className={styles["none"]}>{t("people.none")}</p>}
    />
  );
}

function columnsOf(t: Translate, { path, roles, own }: Omit<PeopleProps, "title">): readonly Column<Somebody>[] {
  return [
    { key: "name", title: t("signIn.username"), cell: ({ username }) => <bdi>{username}</bdi> },
    { key: "role", title: t("people.role"), cell: ({ role }) => roleText(t, role) },
    { key: "state", title: t("message.state"), cell: (person) => <PersonState person={person} /> },
    {
      key: "factor",
      title: t("factor.title"),
      cell: ({ secondFactor }) => t(secondFactor ? "people.factorOn" : "people.factorOff"),
    },
    {
      key: "used",
      title: t("people.used"),
      minor: true,
      cell: ({ lastUsedAt }) => lastUsedAt !== undefined && <Moment at={lastUsedAt} ago />,
    },
    {
      key: "actions",
      title: t("list.actions"),
      isActions: true,
      cell: (person) =>
        person.username === own ? (
          <span className={styles["none"]}>{t("people.yourself")}</span>
        ) : (
          <RowActions>
            <ChangePerson path={path} person={person} roles={roles} />
            {person.secondFactor && <ResetSecondFactor path={path} person={person} />}
            <RemovePerson path={path} person={person} />
          </RowActions>
        ),
    },
  ];
}

function PersonState({ person: { enabled, mustChangePassword } }: { readonly person: Somebody }) {
  const t = useTexts();
  const state = enabled ? (mustChangePassword ? "waiting" : "delivered") : "unsent";
  return (
    <span className={styles["state"]}>
      <StateSign state={state} />
      {t(enabled ? (mustChangePassword ? "people.passwordWaits" : "people.enabled") : "people.disabled")}
    </span>
  );
}
