// The links of the demo: /console/sign-in#ticket=…. The ticket leaves the address at once, so that
// neither the history nor a copied address holds it.
import { useEffect, useState } from "react";
import { useSessionActions } from "../../api/session.ts";

const form = /^#ticket=([\w-]+)$/;

function ticketInAddress(): string | undefined {
  return form.exec(window.location.hash)?.[1];
}

export interface TicketOutcome {
  /** The ticket is on its way, or was taken. */
  readonly isEntering: boolean;
  readonly problem: unknown;
}

/** Signs in by the ticket of the address, if it has one. */
export function useTicket(): TicketOutcome {
  const [ticket, setTicket] = useState(ticketInAddress);
  const [problem, setProblem] = useState<unknown>();
  const { signInByTicket } = useSessionActions();
  useEffect(() => {
    // A link that is opened where this page is open already loads nothing.
    const look = (): void => setTicket(ticketInAddress());
    window.addEventListener("hashchange", look);
    return () => window.removeEventListener("hashchange", look);
  }, []);
  useEffect(() => {
    if (ticket === undefined) return;
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    signInByTicket(ticket).then(
      () => setTicket(undefined),
      (error: unknown) => {
        setTicket(undefined);
        setProblem(error);
      },
    );
  }, [ticket]);
  return { isEntering: ticket !== undefined, problem };
}
