// Every page, who sees it, and where it stands in the side bar. Mirrors the API's table of abilities.
import type { ComponentType } from "react";
import type { Ability, Person } from "../api/types.ts";
import type { IconName } from "../parts/icon.tsx";
import { AccountPage } from "../pages/accounts/account-page.tsx";
import { AccountsPage } from "../pages/accounts/accounts-page.tsx";
import { CreditPage } from "../pages/accounts/credit-page.tsx";
import { AuditPage } from "../pages/audit/audit-page.tsx";
import { HomePage } from "../pages/home/home-page.tsx";
import { MessagePage } from "../pages/messages/message-page.tsx";
import { MessagesPage } from "../pages/messages/messages-page.tsx";
import { OverviewPage } from "../pages/overview/overview-page.tsx";
import { ProfilePage } from "../pages/profile/profile-page.tsx";
import { ReceivedPage } from "../pages/received/received-page.tsx";
import { ReportsPage } from "../pages/reports/reports-page.tsx";
import type { TextKey } from "../texts/texts.ts";
import { tellPages } from "./has-page.ts";

export type PageParams = Readonly<Record<string | number, string | undefined>>;

export interface PageEntry {
  readonly path: string;
  readonly Page: ComponentType<{ readonly params: PageParams }>;
  /** One of these is enough; absent: everybody. */
  readonly needs?: readonly Ability[];
  /** Its place in the side bar, if it has one. */
  readonly link?: { readonly section: TextKey; readonly text: TextKey; readonly icon: IconName };
}

const pages: readonly PageEntry[] = [
  {
    path: "/overview",
    Page: OverviewPage,
    needs: ["see"],
    link: { section: "section.now", text: "overview.title", icon: "overview" },
  },
  {
    path: "/home",
    Page: HomePage,
    needs: ["look"],
    link: { section: "section.now", text: "home.title", icon: "home" },
  },
  {
    path: "/messages",
    Page: MessagesPage,
    needs: ["see", "look"],
    link: { section: "section.messages", text: "messages.title", icon: "messages" },
  },
  { path: "/messages/:id", Page: MessagePage, needs: ["see", "look"] },
  {
    path: "/received",
    Page: ReceivedPage,
    needs: ["see", "look"],
    link: { section: "section.messages", text: "received.title", icon: "received" },
  },
  {
    path: "/reports",
    Page: ReportsPage,
    needs: ["see", "look"],
    link: { section: "section.messages", text: "reports.title", icon: "reports" },
  },
  {
    path: "/accounts",
    Page: AccountsPage,
    needs: ["see"],
    link: { section: "section.customers", text: "accounts.title", icon: "accounts" },
  },
  { path: "/accounts/:name", Page: AccountPage, needs: ["see"] },
  {
    path: "/credit",
    Page: CreditPage,
    needs: ["look"],
    link: { section: "section.account", text: "credit.title", icon: "credit" },
  },
  {
    path: "/audit",
    Page: AuditPage,
    needs: ["audit"],
    link: { section: "section.settings", text: "audit.title", icon: "audit" },
  },
  { path: "/profile", Page: ProfilePage },
];

export function pagesOf({ abilities }: Person): readonly PageEntry[] {
  return pages.filter(({ needs }) => needs === undefined || needs.some((ability) => abilities.includes(ability)));
}

tellPages((person) => pagesOf(person).map(({ path }) => path));
