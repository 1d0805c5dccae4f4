// Every page, who sees it, and where it is in the side bar. Mirrors the API's table of
// abilities.
import type { ComponentType } from "react";
import { abilitiesOf, type Ability, type Operation } from "../../../src/credentials/abilities.ts";
import type { Person } from "../api/types.ts";
import { CreditPage } from "../pages/accounts/credit-page.tsx";
import { HomePage } from "../pages/home/home-page.tsx";
import { MessagePage } from "../pages/messages/message-page.tsx";
import { MessagesPage } from "../pages/messages/messages-page.tsx";
import { OverviewPage } from "../pages/overview/overview-page.tsx";
import { ReceivedPage } from "../pages/received/received-page.tsx";
import { ReportsPage } from "../pages/reports/reports-page.tsx";
import { SearchPage } from "../pages/search/search-page.tsx";
import type { IconName } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import type { TextKey } from "../texts/texts.ts";
import { isPathOf, type PageParams } from "./page-params.ts";
import { mayDo } from "./person.ts";

// The first page stays small: what not everybody opens is loaded when it is opened, or pointed at.
const PeoplePage = later(async () => (await import("../pages/people/people.tsx")).PeoplePage);
const TemplatesPage = later(async () => (await import("../pages/templates/templates-page.tsx")).TemplatesPage);
const OptOutsPage = later(async () => (await import("../pages/opt-outs/opt-outs-page.tsx")).OptOutsPage);

/** The sign of a page in the bars is called as its texts are. */
export type LinkName = { readonly [Name in IconName]: `${Name}.title` extends TextKey ? Name : never }[IconName];

interface PageEntry {
  readonly path: string;
  readonly Page: ComponentType<{ readonly params: PageParams }> & { readonly load?: () => void };
  /** Absent: everybody, or those whom the operations allow it. */
  readonly needs?: Ability;
  /** One of these is enough. The permissions of a customer's account may forbid it. */
  readonly operations?: readonly Operation[];
  /** Its section in the side bar and its name there, if it has a place in it. */
  readonly link?: readonly [section: TextKey, name: LinkName];
}

const sendsCampaigns = ["sendBulk", "sendTemplate"] as const;
const readsCampaigns = ["readMessages", ...sendsCampaigns] as const;

const pages: readonly PageEntry[] = [
  {
    path: "/overview",
    Page: OverviewPage,
    needs: "see",
    link: ["section.now", "overview"],
  },
  {
    path: "/home",
    Page: HomePage,
    needs: "look",
    link: ["section.now", "home"],
  },
  {
    path: "/send",
    Page: later(async () => (await import("../pages/send/send-page.tsx")).SendPage),
    operations: ["sendText", "sendBulk", "sendTemplate"],
    link: ["send.title", "send"],
  },
  {
    path: "/campaigns",
    Page: later(async () => (await import("../pages/campaigns/campaigns-page.tsx")).CampaignsPage),
    operations: readsCampaigns,
    link: ["send.title", "campaigns"],
  },
  {
    path: "/campaigns/new",
    Page: later(async () => (await import("../pages/campaigns/new-campaign-page.tsx")).NewCampaignPage),
    operations: sendsCampaigns,
  },
  {
    path: "/campaigns/:id",
    Page: later(async () => (await import("../pages/campaigns/campaign-page.tsx")).CampaignPage),
    operations: readsCampaigns,
  },
  {
    path: "/batches/:id",
    Page: later(async () => (await import("../pages/send/batch-page.tsx")).BatchPage),
    operations: ["readMessages"],
  },
  {
    path: "/messages",
    Page: MessagesPage,
    operations: ["readMessages"],
    link: ["messages.title", "messages"],
  },
  { path: "/search", Page: SearchPage, operations: ["readMessages"] },
  { path: "/messages/:id", Page: MessagePage, operations: ["readMessages"] },
  {
    path: "/received",
    Page: ReceivedPage,
    operations: ["readReceived"],
    link: ["messages.title", "received"],
  },
  {
    path: "/review",
    Page: later(async () => (await import("../pages/review/review-page.tsx")).ReviewPage),
    needs: "texts",
    link: ["messages.title", "review"],
  },
  {
    path: "/reports",
    Page: ReportsPage,
    operations: ["readMessages"],
    link: ["messages.title", "reports"],
  },
  {
    path: "/quality",
    Page: later(async () => (await import("../pages/quality/quality-page.tsx")).QualityPage),
    operations: ["readMessages"],
    link: ["messages.title", "quality"],
  },
  {
    path: "/accounts",
    Page: later(async () => (await import("../pages/accounts/accounts-page.tsx")).AccountsPage),
    needs: "see",
    link: ["section.customers", "accounts"],
  },
  {
    path: "/accounts/:name",
    Page: later(async () => (await import("../pages/accounts/account-page.tsx")).AccountPage),
    needs: "see",
  },
  {
    path: "/templates",
    Page: TemplatesPage,
    needs: "see",
    operations: ["readTemplates"],
    link: ["section.customers", "templates"],
  },
  {
    path: "/templates",
    Page: TemplatesPage,
    needs: "look",
    operations: ["readTemplates"],
    link: ["message.account", "templates"],
  },
  {
    path: "/users",
    Page: PeoplePage,
    needs: "manage",
    link: ["message.account", "users"],
  },
  {
    path: "/keys",
    Page: later(async () => (await import("../pages/keys/keys.tsx")).KeysPage),
    needs: "manage",
    link: ["message.account", "keys"],
  },
  {
    path: "/addresses",
    Page: later(async () => (await import("../pages/addresses/addresses-page.tsx")).AddressesPage),
    needs: "manage",
    link: ["message.account", "addresses"],
  },
  {
    path: "/opt-outs",
    Page: OptOutsPage,
    needs: "look",
    operations: ["readOptOuts"],
    link: ["message.account", "optOuts"],
  },
  {
    path: "/webhooks",
    Page: later(async () => (await import("../pages/webhooks/webhooks-page.tsx")).WebhooksPage),
    needs: "look",
    operations: ["readWebhooks"],
    link: ["message.account", "webhooks"],
  },
  {
    path: "/code",
    Page: later(async () => (await import("../pages/code/code-page.tsx")).CodePage),
    needs: "look",
    link: ["message.account", "code"],
  },
  {
    path: "/operators",
    Page: later(async () => (await import("../pages/network/operators-page.tsx")).OperatorsPage),
    needs: "see",
    link: ["section.network", "operators"],
  },
  {
    path: "/connectors",
    Page: later(async () => (await import("../pages/network/connectors-page.tsx")).ConnectorsPage),
    needs: "see",
    link: ["section.network", "connectors"],
  },
  {
    path: "/routes",
    Page: later(async () => (await import("../pages/network/routes-page.tsx")).RoutesPage),
    needs: "see",
    link: ["section.network", "routes"],
  },
  {
    path: "/lines",
    Page: later(async () => (await import("../pages/network/lines-page.tsx")).LinesPage),
    needs: "see",
    link: ["section.network", "lines"],
  },
  {
    path: "/rules",
    Page: later(async () => (await import("../pages/rules/rules-page.tsx")).RulesPage),
    needs: "see",
    link: ["section.network", "rules"],
  },
  {
    path: "/block-lists",
    Page: later(async () => (await import("../pages/block-lists/block-lists-page.tsx")).BlockListsPage),
    needs: "see",
    link: ["section.network", "blockLists"],
  },
  {
    path: "/block-lists/:name",
    Page: later(async () => (await import("../pages/block-lists/block-lists-page.tsx")).BlockListPage),
    needs: "see",
  },
  {
    path: "/opt-outs",
    Page: OptOutsPage,
    needs: "see",
    operations: ["readOptOuts"],
    link: ["section.network", "optOuts"],
  },
  {
    path: "/tariffs",
    Page: later(async () => (await import("../pages/network/tariffs-page.tsx")).TariffsPage),
    needs: "see",
    link: ["section.network", "tariffs"],
  },
  {
    path: "/credit",
    Page: CreditPage,
    needs: "look",
    operations: ["readCredit"],
    link: ["message.account", "credit"],
  },
  {
    path: "/staff",
    Page: PeoplePage,
    needs: "staff",
    link: ["section.settings", "staff"],
  },
  {
    path: "/setup",
    Page: later(async () => (await import("../pages/setup/setup-page.tsx")).SetupPage),
    needs: "setup",
    link: ["section.settings", "setup"],
  },
  {
    path: "/audit",
    Page: later(async () => (await import("../pages/audit/audit-page.tsx")).AuditPage),
    needs: "audit",
    link: ["section.settings", "audit"],
  },
  { path: "/profile", Page: later(async () => (await import("../pages/profile/profile-page.tsx")).ProfilePage) },
];

export function pagesOf(person: Person): readonly PageEntry[] {
  return pages.filter(
    ({ needs, operations }) =>
      (needs === undefined || abilitiesOf(person.role).includes(needs)) &&
      (operations === undefined || mayDo(person, operations)),
  );
}

/**
 * Every path in the router's order, with the page if the person may see it. The paths of other
 * roles are included, so that the router does not take `/campaigns/new` for a campaign with the id
 * `new`.
 */
export function routesFor(person: Person): readonly { readonly path: string; readonly Page?: PageEntry["Page"] }[] {
  const own = new Map(pagesOf(person).map((entry) => [entry.path, entry]));
  return [...new Set(pages.map(({ path }) => path))].map((path) => own.get(path) ?? { path });
}

/** Loads the code of the page of that path ahead, if it is not there yet. */
function loadPage(pathname: string): void {
  pages.find(({ path }) => isPathOf(path, pathname))?.Page.load?.();
}

// Loads the code of a page before the page is shown: of the address that is opened while the
// browser asks who is signed in, and of a link while somebody points at it.

const base = "/console";

/** For the whole life of the document. */
export function loadPagesAhead(): void {
  loadPageAt(window.location);
  for (const pointing of ["pointerover", "focusin"])
    document.addEventListener(pointing, ({ target }) => {
      const link = target instanceof Element ? target.closest("a") : null;
      if (link !== null) loadPageAt(link);
    });
}

function loadPageAt({ origin, pathname }: Pick<Location, "origin" | "pathname">): void {
  if (origin === window.location.origin && pathname.startsWith(`${base}/`)) loadPage(pathname.slice(base.length));
}
