// Cancels what of a message or batch still waits, after asking.
import { type PathOf, Refused, callApi } from "../api/client.ts";
import { useTexts } from "../texts/texts.ts";
import { Confirm } from "./confirm.tsx";

type Cancel = "POST /messages/{id}/cancel" | "POST /batches/{id}/cancel";

export interface CancelWaitingProps {
  readonly path: PathOf<Cancel>;
  /** It is a single message. */
  readonly isOne?: boolean;
  readonly onDone: () => void;
}

export function CancelWaiting({ path, isOne = false, onDone }: CancelWaitingProps) {
  const t = useTexts();
  return (
    <Confirm
      button={t(isOne ? "send.cancelOne" : "send.cancel")}
      title={t(isOne ? "send.cancelOneTitle" : "send.cancelTitle")}
      text={t(isOne ? "send.cancelOneText" : "send.cancelText")}
      onConfirm={async () => {
        const { canceled, onTheirWay } = await callApi<Cancel>("POST", path);
        onDone();
        // It stands in the dialog: the page shows no difference.
        if (canceled === 0 && onTheirWay > 0) throw new Refused(t("send.cancelTooLate"));
      }}
    />
  );
}
