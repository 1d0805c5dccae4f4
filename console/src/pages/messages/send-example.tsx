// The one next step of somebody without messages: a call that sends one.
import { useTexts } from "../../texts/texts.ts";

export function SendExample() {
  const t = useTexts();
  const call = [
    `curl ${window.location.origin}/messages/send \\`,
    `  -H 'X-Api-Key: YOUR_API_KEY' -H 'Content-Type: application/json' \\`,
    `  -d '{"senderNumber":"YOUR_LINE","recipientNumber":"09121234567","content":"Hodhod"}'`,
  ].join("\n");
  return (
    <>
      <p>{t("messages.sendFirst")}</p>
      <pre dir="ltr" tabIndex={0}>
        {call}
      </pre>
    </>
  );
}
