// The six states of a message, the same everywhere: a word, a shape and a colour; and which of them
// a message is in.
import type { ReactNode } from "react";
import type { Answers } from "../api/types.ts";
import { useTexts } from "../texts/texts.ts";
import styles from "./state.module.css";

/** In the order of the API's messageStatus. */
export const statuses = ["waiting", "sent", "delivered", "undelivered", "unsent"] as const;
export type MessageState = (typeof statuses)[number] | "open";

const shapes: Readonly<Record<MessageState, ReactNode>> = {
  waiting: <circle cx="7" cy="7" r="4.600" fill="none" stroke="currentColor" strokeWidth="1.800" />,
  sent: (
    <>
      <circle cx="7" cy="7" r="4.600" fill="none" stroke="currentColor" strokeWidth="1.800" />
      <path d="M7 2.400a4.600 4.600 0 0 1 0 9.200z" fill="currentColor" />
    </>
  ),
  delivered: <circle cx="7" cy="7" r="5.500" fill="currentColor" />,
  undelivered: (
    <>
      <circle cx="7" cy="7" r="4.600" fill="none" stroke="currentColor" strokeWidth="1.800" />
      <path d="M3.700 10.300l6.600-6.600" stroke="currentColor" strokeWidth="1.800" />
    </>
  ),
  unsent: (
    <path
      d="M2.800 2.800l8.400 8.400M11.200 2.800l-8.400 8.400"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
    />
  ),
  open: (
    <path
      d="M4 4.700C4 2.900 5.300 1.800 7 1.800s3 1 3 2.600C10 6.700 7 6.700 7 9M7 12v.2"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.900"
      strokeLinecap="round"
    />
  ),
};

export function State({ state, note }: { readonly state: MessageState; readonly note?: string | undefined }) {
  const t = useTexts();
  return (
    <span className={[styles["state"], styles[state]].join(" ")}>
      <SignedText state={state} text={t(`state.${state}`)} />
      {note !== undefined && <span className={styles["note"]}>{note}</span>}
    </span>
  );
}

/** What else has one of these signs, such as a webhook. */
export function SignedText({ state, text }: { readonly state: MessageState; readonly text: string }) {
  return (
    <span className={styles["signed"]}>
      <StateSign state={state} />
      {text}
    </span>
  );
}

export function StateSign({ state }: { readonly state: MessageState }) {
  return (
    <svg aria-hidden="true" className={styles[state]} width="14" height="14" viewBox="0 0 14 14">
      {shapes[state]}
    </svg>
  );
}

// Messages as the API tells them, and in which of the six states one is.

export type Message = Answers["GET /messages"]["items"][number];

/** Opted out after it was accepted; waits for staff; not allowed by staff. */
const decidedByPeople: readonly (number | undefined)[] = [1307, 1308, 1309];

/** In a list, why it failed, and the reason of what people have decided, or have to: no state says it. */
export function stateNote({ errorCode, errorMessage, failureText }: Message): string | undefined {
  return decidedByPeople.includes(errorCode) ? errorMessage : failureText;
}

const outcomeUnknown = 1302;

/**
 * Submitted and never answered: nobody knows what became of it, whether it still waits or was given
 * up.
 */
export function stateOf({ messageStatus, errorCode }: Pick<Message, "messageStatus" | "errorCode">): MessageState {
  if (errorCode === outcomeUnknown && (messageStatus === 0 || messageStatus === 4)) return "open";
  return statuses[messageStatus] ?? "waiting";
}
