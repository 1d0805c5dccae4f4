// What somebody else did to the routes meanwhile, and what became of it in the list that is
// arranged here.
import type { Route } from "../../api/setup-objects.ts";
import { Notice } from "../../parts/notice.tsx";
import { useTexts, type Translate } from "../../texts/texts.ts";
import type { MergedRoutes } from "./merge-routes.ts";
import styles from "./network.module.css";

export function MergedNotice({ merged: { deeds, otherOrder } }: { readonly merged: MergedRoutes }) {
  const t = useTexts();
  return (
    <Notice kind="attention" role="status">
      {t("routes.merged")}
      <ul className={styles["deeds"]}>
        {deeds.map(({ deed, route }, index) => (
          // Equal routes have no other name than their place.
          <li key={index}>{t(`routes.deed.${deed}`, { route: routeText(t, route) })}</li>
        ))}
        {otherOrder !== undefined && (
          <li>
            {t("routes.otherOrder")}
            <ol>
              {otherOrder.map((route, index) => (
                <li key={index}>{routeText(t, route)}</li>
              ))}
            </ol>
          </li>
        )}
      </ul>
    </Notice>
  );
}

function routeText(t: Translate, { operator, line, connectors }: Route): string {
  const named = (value: string): string => (value === "*" ? t("routes.all") : value);
  return t("routes.summary", {
    operator: named(operator),
    line: named(line),
    connectors: connectors.join(t("reports.and")),
  });
}
