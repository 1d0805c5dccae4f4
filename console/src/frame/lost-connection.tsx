// While the gateway cannot be reached: the page dims by a shade and says since when. It asks by
// itself, and all lists are read again once there is an answer.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { callApi } from "../api/client.ts";
import { useLostSince } from "../api/connection.ts";
import { isOfForm } from "../api/queries.ts";
import { formatNearTime } from "../format/times.ts";
import { Icon } from "../parts/icon.tsx";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import styles from "./lost-connection.module.css";

const askEveryMs = 2_000;

export function LostConnection() {
  const t = useTexts();
  const language = useLanguage();
  const since = useLostSince();
  const client = useQueryClient();
  const isLost = since !== undefined;
  useEffect(() => {
    document.documentElement.toggleAttribute("data-lost", isLost);
    if (!isLost) return undefined;
    // Any answer, a refusal too, tells that the gateway is back (api/client.ts).
    const timer = setInterval(() => void callApi("GET /session").catch(() => undefined), askEveryMs);
    return () => {
      clearInterval(timer);
      // Of forms, those that could not be filled.
      void client.invalidateQueries({ predicate: (query) => !isOfForm(query) || query.state.data === undefined });
    };
  }, [isLost, client]);
  return (
    <div role="status" className={styles["place"]}>
      {since !== undefined && (
        <p className={styles["lost"]}>
          <Icon name="warning" />
          {t("frame.lost", { time: formatNearTime(language, since, since) })}
        </p>
      )}
    </div>
  );
}
