// Cancels what of a message or batch still waits, after asking.
import { callApi, Refused } from "../api/client.ts";
import { useTexts } from "../texts/texts.ts";
import { FormDialog } from "./form-dialog.tsx";

interface CancelWaitingProps {
  readonly of: "messages" | "batches";
  readonly id: string;
  readonly onDone: () => void;
}

export function CancelWaiting({ of, id, onDone }: CancelWaitingProps) {
  const t = useTexts();
  return (
    <FormDialog
      kind="danger"
      button={t("send.cancel")}
      title={t("send.cancelTitle")}
      lead={t("send.cancelText")}
      onSubmit={async () => {
        const { canceled, onTheirWay } = await callApi(`POST /${of}/{id}/cancel`, { params: { id } });
        onDone();
        // It is shown in the dialog: the page shows no difference.
        if (canceled === 0 && onTheirWay > 0) throw new Refused(t("send.cancelTooLate"));
      }}
    />
  );
}
