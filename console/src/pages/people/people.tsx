// People who may sign in, of staff or of an account: who they are, what they may do, and adding,
// changing and removing them.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi, putTagged, type PathOf } from "../../api/client.ts";
import { useList } from "../../api/queries.ts";
import type { Somebody } from "../../api/types.ts";
import { roleText } from "../../frame/person.ts";
import { ConfirmRemoval } from "../../parts/confirm-removal.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { type ButtonProps, Check, Field, Select, formText } from "../../parts/controls.tsx";
import { type FieldProblems, FormDialog } from "../../parts/form-dialog.tsx";
import { Facts } from "../../parts/page.tsx";
import { StateSign } from "../../parts/state.tsx";
import { type Column, EndlessList, RowActions } from "../../parts/table.tsx";
import { TaggedFields, tagOf } from "../../parts/tagged-fields.tsx";
import { Copyable, Moment } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import styles from "./people.module.css";

/** Of all of them. */
type PeoplePath = PathOf<"GET /staff" | "GET /accounts/{name}/users">;
type PersonPath = PathOf<"GET /staff/{name}" | "GET /accounts/{name}/users/{username}">;

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

// Adding, changing and removing a person. A password is chosen here for them, shown once, and
// changed by them at the next sign-in.

export interface PersonProps {
  /** Of the API: all of them. */
  readonly path: PeoplePath;
  readonly person: Somebody;
}

function pathOf(path: PeoplePath, username: string): PersonPath {
  return `${path}/${encodeURIComponent(username)}`;
}

interface AddPersonProps {
  readonly path: PeoplePath;
  readonly roles: readonly string[];
  readonly button: string;
  /** One primary action a page. */
  readonly kind?: ButtonProps["kind"];
}

export function AddPerson({ path, roles, button, kind = "primary" }: AddPersonProps) {
  const t = useTexts();
  const changed = usePeopleChanged(path);
  const add = async (form: HTMLFormElement) => {
    const [username, password] = [formText(form, "username").trim(), formText(form, "password")];
    const body = { role: formText(form, "role"), enabled: true, password };
    await putTagged(pathOf(path, username), body, "new");
    await changed();
    return <NewSecret username={username} password={password} />;
  };
  return (
    <FormDialog
      button={button}
      kind={kind}
      title={button}
      lead={t("people.addLead")}
      submit={t("people.add")}
      fields={["username", "password"]}
      onSubmit={add}
    >
      {(problemOf) => (
        <>
          <Field
            label={t("signIn.username")}
            name="username"
            dir="ltr"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            required
            maxLength={64}
            problem={problemOf("username")}
          />
          <RoleSelect roles={roles} />
          <PasswordForThem problemOf={problemOf} />
        </>
      )}
    </FormDialog>
  );
}

function RoleSelect({ roles, role }: { readonly roles: readonly string[]; readonly role?: string }) {
  const t = useTexts();
  const [chosen, setChosen] = useState<string>();
  const options = roles.map((value) => ({ value, text: `${roleText(t, value)}: ${roleDuty(t, value)}` }));
  return (
    <Select
      label={t("people.role")}
      name="role"
      value={chosen ?? role ?? roles.at(-1)}
      options={options}
      onChoose={setChosen}
    />
  );
}

function roleDuty(t: ReturnType<typeof useTexts>, role: string): string {
  switch (role) {
    case "administrator":
      return t("duty.administrator");
    case "operator":
      return t("duty.operator");
    case "sales":
      return t("duty.sales");
    case "viewer":
      return t("duty.viewer");
    case "owner":
      return t("duty.owner");
    case "sender":
      return t("duty.sender");
    default:
      return t("duty.reader");
  }
}

function PasswordForThem({ problemOf }: { readonly problemOf: FieldProblems }) {
  const t = useTexts();
  const [suggested] = useState(newPassword);
  return (
    <Field
      label={t("people.password")}
      name="password"
      dir="ltr"
      autoComplete="off"
      spellCheck={false}
      required
      minLength={10}
      maxLength={200}
      defaultValue={suggested}
      hint={t("people.passwordHint")}
      problem={problemOf("password")}
    />
  );
}

/** Shown this once. */
function NewSecret({ username, password }: { readonly username: string; readonly password: string }) {
  const t = useTexts();
  return (
    <div className={styles["secret"]} role="status">
      <p>{t("people.tellThem")}</p>
      <Facts
        facts={[
          { name: t("signIn.username"), value: <Copyable text={username} name={t("signIn.username")} whole /> },
          { name: t("signIn.password"), value: <Copyable text={password} name={t("signIn.password")} whole /> },
        ]}
      />
    </div>
  );
}

export function ChangePerson({ path, person: { username }, roles }: PersonProps & { roles: readonly string[] }) {
  const t = useTexts();
  const changed = usePeopleChanged(path);
  const own = pathOf(path, username);
  const save = async (form: HTMLFormElement) => {
    const password = formText(form, "newPassword") === "" ? undefined : formText(form, "password");
    const body = { role: formText(form, "role"), enabled: formText(form, "enabled") !== "", password };
    await putTagged(own, body, tagOf(form));
    await changed();
    return password === undefined ? undefined : <NewSecret username={username} password={password} />;
  };
  return (
    <FormDialog
      button={t("people.change")}
      title={t("people.changeTitle", { name: username })}
      lead={t("people.changeLead")}
      submit={t("people.save")}
      fields={["password"]}
      onSubmit={save}
    >
      {(problemOf) => (
        <TaggedFields<"GET /staff/{name}" | "GET /accounts/{name}/users/{username}"> path={own}>
          {({ role, enabled }) => (
            <>
              <RoleSelect roles={roles} role={role} />
              <Check label={t("people.mayEnter")} name="enabled" value="yes" defaultChecked={enabled} />
              <OtherPassword problemOf={problemOf} />
            </>
          )}
        </TaggedFields>
      )}
    </FormDialog>
  );
}

function OtherPassword({ problemOf }: { readonly problemOf: FieldProblems }) {
  const t = useTexts();
  const [isWanted, setWanted] = useState(false);
  return (
    <>
      <Check
        label={t("people.otherPassword")}
        name="newPassword"
        value="yes"
        checked={isWanted}
        onChange={(event) => setWanted(event.target.checked)}
      />
      {isWanted && <PasswordForThem problemOf={problemOf} />}
    </>
  );
}

export function ResetSecondFactor({ path, person: { username } }: PersonProps) {
  const t = useTexts();
  const changed = usePeopleChanged(path);
  return (
    <Confirm
      button={t("people.resetFactor")}
      title={t("people.resetTitle", { name: username })}
      text={t("people.resetText")}
      onConfirm={async () => {
        await callApi("POST", `${pathOf(path, username)}/reset-second-factor`);
        await changed();
      }}
    />
  );
}

export function RemovePerson({ path, person: { username } }: PersonProps) {
  const t = useTexts();
  const changed = usePeopleChanged(path);
  return (
    <ConfirmRemoval
      button={t("people.remove")}
      title={t("people.removeTitle", { name: username })}
      text={t("people.removeText")}
      path={pathOf(path, username)}
      onRemoved={changed}
    />
  );
}

// What follows a change of people.

/** Reads the list again. */
export function usePeopleChanged(path: PeoplePath): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [path] });
}

// A password for somebody else: long enough, easy to read out, and changed at the first sign-in.

/** Without characters that look alike. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
const groups = 4;
const groupLength = 4;

/** `k3fm-xq8t-…`: 80 bits. */
export function newPassword(): string {
  const random = crypto.getRandomValues(new Uint8Array(groups * groupLength));
  // 256 is a multiple of the length of the alphabet: no letter is likelier than another.
  const letters = [...random].map((value) => alphabet[value % alphabet.length]);
  return Array.from({ length: groups }, (_, group) =>
    letters.slice(group * groupLength, (group + 1) * groupLength).join(""),
  ).join("-");
}
