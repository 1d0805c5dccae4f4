// Adding, changing and removing a person. A password is chosen here for them, shown once, and
// changed by them at the next sign-in.
import { useState } from "react";
import { callApi } from "../../api/client.ts";
import type { PeoplePath, PersonPath, Somebody } from "../../api/people.ts";
import { putTagged } from "../../api/tagged.ts";
import { roleText } from "../../frame/role-text.ts";
import type { ButtonProps } from "../../parts/button.tsx";
import { Check } from "../../parts/check.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { ConfirmRemoval } from "../../parts/confirm-removal.tsx";
import { Copyable } from "../../parts/copyable.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog, type FieldProblems } from "../../parts/form-dialog.tsx";
import { formText } from "../../parts/form-text.ts";
import { Select } from "../../parts/select.tsx";
import { tagOf, TaggedFields } from "../../parts/tagged-fields.tsx";
import { useTexts } from "../../texts/texts.ts";
import { newPassword } from "./new-secret.ts";
import { usePeopleChanged } from "./people-changed.ts";
import styles from "./people.module.css";

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
