// People who may sign in, of staff or of an account: who they are, what they may do, and adding,
// changing and removing them. A password is chosen here for somebody, shown once, and changed by
// them at the next sign-in.
import { staffRoles, userRoles } from "../../../../src/credentials/abilities.ts";
import { callApi } from "../../api/client.ts";
import { type Asked, useAnswer, useList } from "../../api/queries.ts";
import type { Somebody } from "../../api/types.ts";
import { usePerson } from "../../frame/person.ts";
import { type ButtonProps, Check, Field } from "../../parts/controls.tsx";
import { type ControlProps, type FieldSpec, shownText } from "../../parts/field-spec.ts";
import { FormDialog, ShownOnce } from "../../parts/form-dialog.tsx";
import { RemoveDialog } from "../../parts/object-dialog.tsx";
import { FilteredList } from "../../parts/list-page.tsx";
import { PageHead } from "../../parts/page.tsx";
import { SignedText } from "../../parts/state.tsx";
import { type Column, Waiting } from "../../parts/table.tsx";
import { Moment } from "../../parts/values.tsx";
import { type Translate, useTexts, wordFor } from "../../texts/texts.ts";
import styles from "./people.module.css";

/** Whose people they are: of this account, or the staff. */
interface PeopleProps {
  readonly account?: string | undefined;
}

/** Of the account of the one who looks, or of the staff. */
export function PeoplePage() {
  const t = useTexts();
  const { account, username } = usePerson();
  const { title, lead } = textsOf(account);
  return (
    <>
      <PageHead title={t(title)} lead={t(lead)} actions={<AddPerson account={account} />} />
      <PeopleList account={account} own={username} />
    </>
  );
}

function textsOf(account: string | undefined) {
  return account === undefined
    ? ({ title: "staff.title", lead: "staff.lead", add: "staff.add" } as const)
    : ({ title: "users.title", lead: "users.lead", add: "users.add" } as const);
}

interface PeopleListProps extends PeopleProps {
  /** The one who looks, if they are among them. */
  readonly own?: string;
}

export function PeopleList({ account, own }: PeopleListProps) {
  const t = useTexts();
  return (
    <FilteredList
      list="GET /people"
      name={t(textsOf(account).title)}
      asked={{ query: { account } }}
      keyOf={({ username }) => username}
      columns={columnsOf(t)}
      actions={(person) =>
        person.username === own ? (
          <span className={styles["none"]}>{t("people.yourself")}</span>
        ) : (
          <Actions account={account} person={person} />
        )
      }
      none={{ title: t("people.none") }}
    />
  );
}

function columnsOf(t: Translate): readonly Column<Somebody>[] {
  return [
    { title: t("signIn.username"), cell: ({ username }) => <bdi>{username}</bdi> },
    { title: t("people.role"), cell: ({ role }) => wordFor(t, `role.${role}`, role) },
    { title: t("message.state"), cell: (person) => <PersonState person={person} /> },
    { title: t("factor.title"), cell: ({ secondFactor }) => t(secondFactor ? "operators.on" : "operators.off") },
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

interface AddPersonProps extends PeopleProps {
  /** One primary action a page. */
  readonly kind?: ButtonProps["kind"];
}

export function AddPerson({ account, kind = "primary" }: AddPersonProps) {
  const t = useTexts();
  const button = t(textsOf(account).add);
  const { data } = useList("GET /people", { query: { account } });
  // Somebody has to manage a new account.
  const isFirst = account !== undefined && data?.pages[0]?.items.length === 0;
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
      specs={[name, roleSpec(t, account), passwordSpec(t, (own) => <Password {...own} />)]}
      // A password is suggested.
      initial={{ role: rolesOf(account).at(isFirst ? 0 : -1), password: newPassword() }}
      onSubmit={async ({ username, ...given }) => {
        const person = { username: shownText(username), account };
        await callApi(`PUT ${path}`, { ...askedOf(person), body: { ...given, enabled: true }, expected: "new" });
        return <NewPassword {...person} password={shownText(given["password"])} />;
      }}
    />
  );
}

const path = "/people/{username}";

function askedOf({ username, account }: PeopleProps & { readonly username: string }): Asked {
  return { params: { username }, query: { account } };
}

function rolesOf(account: string | undefined): readonly string[] {
  return account === undefined ? staffRoles : userRoles;
}

function roleSpec(t: Translate, account: string | undefined): FieldSpec {
  const options = rolesOf(account).map((role) => ({
    value: role,
    text: `${wordFor(t, `role.${role}`, role)}: ${wordFor(t, `duty.${role}`, role)}`,
  }));
  return { name: "role", label: t("people.role"), kind: "choice", options };
}

function passwordSpec(t: Translate, control: NonNullable<FieldSpec["control"]>): FieldSpec {
  return { name: "password", label: t("people.password"), kind: "json", isLabelled: true, control };
}

function Password({ value, onChange, problem }: ControlProps) {
  const t = useTexts();
  return (
    <Field
      label={t("people.password")}
      dir="ltr"
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={shownText(value)}
      onChange={({ target }) => onChange(target.value)}
      hint={t("people.passwordHint")}
      problem={problem}
    />
  );
}

function OtherPassword(own: ControlProps) {
  const t = useTexts();
  const isWanted = own.value !== undefined;
  return (
    <>
      <Check
        label={t("people.otherPassword")}
        checked={isWanted}
        onChange={({ target }) => own.onChange(target.checked ? newPassword() : undefined)}
      />
      {isWanted && <Password {...own} />}
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

interface NewPasswordProps extends PeopleProps {
  readonly username: string;
  readonly password: string;
}

/** What somebody needs to sign in; the password is shown this once. */
function NewPassword({ account, username, password }: NewPasswordProps) {
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

function Actions({ account, person }: PeopleProps & { readonly person: Somebody }) {
  const t = useTexts();
  const { username, secondFactor } = person;
  const asked = askedOf({ username, account });
  return (
    <>
      <FormDialog
        button={t("object.edit")}
        title={t("object.editTitle", { name: username })}
        lead={t("people.changeLead")}
        submit={t("object.save")}
        about={{ name: `GET ${path}`, ...asked }}
        specs={[
          roleSpec(t, account),
          { name: "enabled", label: t("people.enabled"), kind: "yesNo" },
          passwordSpec(t, (own) => <OtherPassword {...own} />),
        ]}
        onSubmit={async (body, { expected }) => {
          await callApi(`PUT ${path}`, { ...asked, body, expected });
          const password = shownText(body["password"]);
          return password === "" ? undefined : (
            <NewPassword account={account} username={username} password={password} />
          );
        }}
      />
      {secondFactor && (
        <FormDialog
          button={t("factor.remove")}
          kind="danger"
          title={t("people.resetTitle", { name: username })}
          lead={t("people.resetText")}
          onSubmit={async () => {
            await callApi(`POST ${path}/reset-second-factor`, asked);
          }}
        />
      )}
      <RemoveDialog name={username} text={t("people.removeText")} path={path} of={asked} />
    </>
  );
}
