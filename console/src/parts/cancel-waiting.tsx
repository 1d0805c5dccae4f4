// Cancels what of a message or batch still waits, after asking.
import { callApi } from "../api/client.ts";
import { useTexts } from "../texts/texts.ts";
import { Confirm } from "./confirm.tsx";

export interface CancelWaitingProps {
  /** `/messages/ID/cancel` or `/batches/ID/cancel` */
  readonly path: string;
  readonly onDone: () => void;
}

export function CancelWaiting({ path, onDone }: CancelWaitingProps) {
  const t = useTexts();
  return (
    <Confirm
      button={t("send.cancel")}
      title={t("send.cancelTitle")}
      text={t("send.cancelText")}
      onConfirm={async () => {
        await callApi("POST", path);
        onDone();
      }}
    />
  );
}
