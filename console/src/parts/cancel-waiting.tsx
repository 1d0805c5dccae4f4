// Cancels what of a message or batch still waits, after asking.
import { callApi, Refused } from "../api/client.ts";
import { useTexts } from "../texts/texts.ts";
import { Confirm } from "./confirm.tsx";

export interface CancelWaitingProps {
  /** `/messages/ID/cancel` or `/batches/ID/cancel` */
  readonly path: string;
  /** It is a single message. */
  readonly isOne?: boolean;
  readonly onDone: () => void;
}

interface Canceled {
  readonly canceled: number;
  readonly onTheirWay: number;
}

export function CancelWaiting({ path, isOne = false, onDone }: CancelWaitingProps) {
  const t = useTexts();
  return (
    <Confirm
      button={t(isOne ? "send.cancelOne" : "send.cancel")}
      title={t(isOne ? "send.cancelOneTitle" : "send.cancelTitle")}
      text={t(isOne ? "send.cancelOneText" : "send.cancelText")}
      onConfirm={async () => {
        const { canceled, onTheirWay } = await callApi<Canceled>("POST", path);
        onDone();
        // It stands in the dialog: the page shows no difference.
        if (canceled === 0 && onTheirWay > 0) throw new Refused(t("send.cancelTooLate"));
      }}
    />
  );
}
