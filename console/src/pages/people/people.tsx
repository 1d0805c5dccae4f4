// People who may sign in, of staff or of an account: who they are, what they may do, and adding,
// changing and removing them. A password is chosen here for somebody, shown once, and changed by
// them at the next sign-in.
import { useState } from "react";
import { callApi } from "../../api/client.ts";
import { useAnswer, useList } from "../../api/queries.ts";
import type { Somebody } from "../../api/types.ts";
import { usePerson } from "../../frame/person.ts";
import { type ButtonProps, Check, Field } from "../../parts/controls.tsx";
import { type FieldSpec, shownText } from "../../parts/field-spec.ts";
import { FormDialog, ShownOnce } from "../../parts/form-dialog.tsx";
import { RemoveDialog } from "../../parts/object-dialog.tsx";
import { PageHead } from "../../parts/page.tsx";
import { SignedText } from "../../parts/state.tsx";
import { type Column, EndlessList, Waiting } from "../../parts/table.tsx";
import { Moment } from "../../parts/values.tsx";
import { type Translate, useTexts, wordFor } from "../../texts/texts.ts";
import styles from "./people.module.css";

/** Whose people they are: where the API has them, and which roles they may have. */
export interface People {
  readonly title: "staff.title" | "users.title";
  readonly lead: "staff.lead" | "users.lead";
  readonly add: "staff.add" | "users.add";
  readonly list: "GET /staff" | "GET /accounts/{name}/users";
  readonly path: "/staff/{name}" | "/accounts/{name}/users/{username}";
  readonly paramsOf: (username: string) => Readonly<Record<string, string>>;
  readonly roles: readonly string[];
  /** Absent: staff. */
  readonly account?: string;
}

const staff: People = {
  title: "staff.title",
  lead: "staff.lead",
  add: "staff.add",
  list: "GET /staff",
  path: "/staff/{name}",
  paramsOf: (username) => ({ name: username }),
  roles: ["administrator", "operator", "sales", "viewer"],
};

export function usersOf(account: string): People {
  return {
    title: "users.title",
    lead: "users.lead",
    add: "users.add",
    list: "GET /accounts/{name}/users",
    path: "/accounts/{name}/users/{username}",
    paramsOf: (username) => ({ name: account, username }),
    roles: ["owner", "sender", "reader"],
    account,
  };
}

export function StaffPage() {
  return <PeoplePage people={staff} />;
}

export function UsersPage() {
  return <PeoplePage people={usersOf(usePerson().account ?? "")} />;
}

function PeoplePage({ people }: { readonly people: People }) {
  const t = useTexts();
  return (
    <>
      <PageHead title={t(people.title)} lead={t(people.lead)} actions={<AddPerson people={people} />} />
      <PeopleList people={people} own={usePerson().username} />
    </>
  );
}

interface PeopleListProps {
  readonly people: People;
  /** The one who looks, if they are among them. */
  readonly own?: string;
}

export function PeopleList({ people, own }: PeopleListProps) {
  const t = useTexts();
  return (
    <EndlessList
      name={t(people.title)}
      query={useList(people.list, { params: people.paramsOf("") })}
      keyOf={({ username }) => username}
      columns={columnsOf(t)}
      actions={(person) =>
        person.username === own ? (
          <span className={styles["none"]}>{t("people.yourself")}</span>
        ) : (
          <Actions people={people} person={person} />
        )
      }
      empty={<p className={styles["none"]}>{t("people.none")}</p>}
    />
  );
}

function columnsOf(t: Translate): readonly Column<Somebody>[] {
  return [
    { title: t("signIn.username"), cell: ({ username }) => <bdi>{username}</bdi> },
    { title: t("people.role"), cell: ({ role }) => wordFor(t, `role.${role}`, role) },
    { title: t("message.state"), cell: (person) => <PersonState person={person} /> },
    { title: t("factor.title"), cell: ({ secondFactor }) => t(secondFactor ? "people.factorOn" : "people.factorOff") },
    {
      title: t("people.used"),
      minor: true,
      cell: ({ lastUsedAt }) => lastUsedAt !== undefined && <Moment at={lastUsedAt} ago />,
    },
  ];
}

function PersonState({ person: { enabled, mustChangePassword } }: { readonly person: Somebody }) {
  const t = useTexts();
  const state = enabled ? (mustChangePassword ? "waiting" : "delivered") : "unsent";
  return (
    <SignedText
      state={state}
      text={t(enabled ? (mustChangePassword ? "people.passwordWaits" : "people.enabled") : "people.disabled")}
    />
  );
}

interface AddPersonProps {
  readonly people: People;
  /** One primary action a page. */
  readonly kind?: ButtonProps["kind"];
}

export function AddPerson({ people, kind = "primary" }: AddPersonProps) {
  const t = useTexts();
  const button = t(people.add);
  const { data } = useList(people.list, { params: people.paramsOf("") });
  // Somebody has to manage a new account.
  const isFirst = people.account !== undefined && data?.pages[0]?.items.length === 0;
  const name: FieldSpec = {
    name: "username",
    label: t("signIn.username"),
    kind: "text",
    required: true,
    typing: { dir: "ltr", maxLength: 64 },
  };
  return (
    <FormDialog
      button={button}
      kind={kind}
      title={button}
      lead={t("people.addLead")}
      submit={t("object.add")}
      specs={[name, roleSpec(t, people), passwordSpec(t, (_, problem) => <Password problem={problem} />)]}
      initial={{ role: people.roles.at(isFirst ? 0 : -1) }}
      onSubmit={async ({ username, ...given }) => {
        const params = people.paramsOf(shownText(username));
        await callApi(`PUT ${people.path}`, { params, body: { ...given, enabled: true }, expected: "new" });
        return <NewPassword people={people} username={shownText(username)} password={shownText(given["password"])} />;
      }}
    />
  );
}

function roleSpec(t: Translate, { roles }: People): FieldSpec {
  const options = roles.map((role) => ({
    value: role,
    text: `${wordFor(t, `role.${role}`, role)}: ${wordFor(t, `duty.${role}`, role)}`,
  }));
  return { name: "role", label: t("people.role"), kind: "choice", options };
}

function passwordSpec(t: Translate, control: NonNullable<FieldSpec["control"]>): FieldSpec {
  return { name: "password", label: t("people.password"), kind: "json", isLabelled: true, control };
}

interface PasswordProps {
  readonly problem: string | undefined;
}

/** One is suggested. */
function Password({ problem }: PasswordProps) {
  const t = useTexts();
  const [password, setPassword] = useState(newPassword);
  return (
    <>
      <input type="hidden" name="password" value={JSON.stringify(password)} />
      <Field
        label={t("people.password")}
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={password}
        onChange={({ target }) => setPassword(target.value)}
        hint={t("people.passwordHint")}
        problem={problem}
      />
    </>
  );
}

function OtherPassword({ problem }: PasswordProps) {
  const t = useTexts();
  const [isWanted, setWanted] = useState(false);
  return (
    <>
      <Check
        label={t("people.otherPassword")}
        checked={isWanted}
        onChange={({ target }) => setWanted(target.checked)}
      />
      {isWanted && <Password problem={problem} />}
    </>
  );
}

/** Without characters that look alike. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";

/** Long enough, and easy to read out: `k3fm-xq8t-…`, 80 bits. */
function newPassword(): string {
  // 256 is a multiple of the length of the alphabet: no letter is likelier than another.
  const letters = [...crypto.getRandomValues(new Uint8Array(16))].map((value) => alphabet[value % alphabet.length]);
  return (letters.join("").match(/.{4}/g) ?? []).join("-");
}

interface NewPasswordProps {
  readonly people: People;
  readonly username: string;
  readonly password: string;
}

/** What somebody needs to sign in; the password is shown this once. */
function NewPassword({ people: { account }, username, password }: NewPasswordProps) {
  const t = useTexts();
  const own = useAnswer(
    "GET /accounts/{name}",
    { params: { name: account ?? "" } },
    { enabled: account !== undefined },
  );
  if (own.isLoading) return <Waiting />;
  const domain = own.data?.domain;
  return (
    <ShownOnce
      note={t("people.tellThem")}
      values={[
        { name: t("people.address"), text: `${window.location.origin}/console` },
        ...(domain === undefined ? [] : [{ name: t("signIn.organisation"), text: domain }]),
        { name: t("signIn.username"), text: username },
        { name: t("signIn.password"), text: password },
      ]}
    />
  );
}

function Actions({ people, person }: { readonly people: People; readonly person: Somebody }) {
  const t = useTexts();
  const { path, paramsOf } = people;
  const { username, secondFactor } = person;
  const params = paramsOf(username);
  return (
    <>
      <FormDialog
        button={t("object.edit")}
        title={t("object.editTitle", { name: username })}
        lead={t("people.changeLead")}
        submit={t("object.save")}
        about={{ name: `GET ${path}`, params }}
        specs={[
          roleSpec(t, people),
          { name: "enabled", label: t("people.enabled"), kind: "yesNo" },
          passwordSpec(t, (_, problem) => <OtherPassword problem={problem} />),
        ]}
        onSubmit={async (body, { expected }) => {
          await callApi(`PUT ${path}`, { params, body, expected });
          const password = shownText(body["password"]);
          return password === "" ? undefined : <NewPassword people={people} username={username} password={password} />;
        }}
      />
      {secondFactor && (
        <FormDialog
          button={t("people.resetFactor")}
          kind="danger"
          title={t("people.resetTitle", { name: username })}
          lead={t("people.resetText")}
          onSubmit={async () => {
            await callApi(`POST ${path}/reset-second-factor`, { params });
          }}
        />
      )}
      <RemoveDialog
        button={t("object.remove")}
        title={t("people.removeTitle", { name: username })}
        lead={t("people.removeText")}
        path={path}
        params={params}
      />
    </>
  );
}
