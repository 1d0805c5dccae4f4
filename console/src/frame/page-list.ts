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

/** Not everybody opens these, and the first page stays small: loaded when they are opened, or pointed at. */
const ProfilePage = later(async () => (await import("../pages/profile/profile-page.tsx")).ProfilePage);
const AuditPage = later(async () => (await import("../pages/audit/audit-page.tsx")).AuditPage);
const SendPage = later(async () => (await import("../pages/send/send-page.tsx")).SendPage);
const BatchPage = later(async () => (await import("../pages/send/batch-page.tsx")).BatchPage);
const CampaignsPage = later(async () => (await import("../pages/campaigns/campaigns-page.tsx")).CampaignsPage);
const NewCampaignPage = later(async () => (await import("../pages/campaigns/new-campaign-page.tsx")).NewCampaignPage);
const CampaignPage = later(async () => (await import("../pages/campaigns/campaign-page.tsx")).CampaignPage);
const AccountsPage = later(async () => (await import("../pages/accounts/accounts-page.tsx")).AccountsPage);
const AccountPage = later(async () => (await import("../pages/accounts/account-page.tsx")).AccountPage);
const OperatorsPage = later(async () => (await import("../pages/network/operators-page.tsx")).OperatorsPage);
const ConnectorsPage = later(async () => (await import("../pages/network/connectors-page.tsx")).ConnectorsPage);
const RoutesPage = later(async () => (await import("../pages/network/routes-page.tsx")).RoutesPage);
const LinesPage = later(async () => (await import("../pages/network/lines-page.tsx")).LinesPage);
const TariffsPage = later(async () => (await import("../pages/network/tariffs-page.tsx")).TariffsPage);
const AddressesPage = later(async () => (await import("../pages/addresses/addresses-page.tsx")).AddressesPage);
const BlockListsPage = later(async () => (await import("../pages/block-lists/block-lists-page.tsx")).BlockListsPage);
const BlockListPage = later(async () => (await import("../pages/block-lists/block-lists-page.tsx")).BlockListPage);
const CodePage = later(async () => (await import("../pages/code/code-page.tsx")).CodePage);
const KeysPage = later(async () => (await import("../pages/keys/keys.tsx")).KeysPage);
const PeoplePage = later(async () => (await import("../pages/people/people.tsx")).PeoplePage);
const QualityPage = later(async () => (await import("../pages/quality/quality-page.tsx")).QualityPage);
const SetupPage = later(async () => (await import("../pages/setup/setup-page.tsx")).SetupPage);
const TemplatesPage = later(async () => (await import("../pages/templates/templates-page.tsx")).TemplatesPage);
const OptOutsPage = later(async () => (await import("../pages/opt-outs/opt-outs-page.tsx")).OptOutsPage);
const ReviewPage = later(async () => (await import("../pages/review/review-page.tsx")).ReviewPage);
const RulesPage = later(async () => (await import("../pages/rules/rules-page.tsx")).RulesPage);
const WebhooksPage = later(async () => (await import("../pages/webhooks/webhooks-page.tsx")).WebhooksPage);

/** The sign of a page in the bars is called as its texts are. */
export type LinkName = { readonly [Name in IconName]: `${Name}.title` extends TextKey ? Name : never }[IconName];

export interface PageEntry {
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
    Page: SendPage,
    operations: ["sendText", "sendBulk", "sendTemplate"],
    link: ["section.send", "send"],
  },
  {
    path: "/campaigns",
    Page: CampaignsPage,
    operations: readsCampaigns,
    link: ["section.send", "campaigns"],
  },
  { path: "/campaigns/new", Page: NewCampaignPage, operations: sendsCampaigns },
  { path: "/campaigns/:id", Page: CampaignPage, operations: readsCampaigns },
  { path: "/batches/:id", Page: BatchPage, operations: ["readMessages"] },
  {
    path: "/messages",
    Page: MessagesPage,
    operations: ["readMessages"],
    link: ["section.messages", "messages"],
  },
  { path: "/search", Page: SearchPage, operations: ["readMessages"] },
  { path: "/messages/:id", Page: MessagePage, operations: ["readMessages"] },
  {
    path: "/received",
    Page: ReceivedPage,
    operations: ["readReceived"],
    link: ["section.messages", "received"],
  },
  {
    path: "/review",
    Page: ReviewPage,
    needs: "texts",
    link: ["section.messages", "review"],
  },
  {
    path: "/reports",
    Page: ReportsPage,
    operations: ["readMessages"],
    link: ["section.messages", "reports"],
  },
  {
    path: "/quality",
    Page: QualityPage,
    operations: ["readMessages"],
    link: ["section.messages", "quality"],
  },
  {
    path: "/accounts",
    Page: AccountsPage,
    needs: "see",
    link: ["section.customers", "accounts"],
  },
  { path: "/accounts/:name", Page: AccountPage, needs: "see" },
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
    link: ["section.account", "templates"],
  },
  {
    path: "/users",
    Page: PeoplePage,
    needs: "manage",
    link: ["section.account", "users"],
  },
  {
    path: "/keys",
    Page: KeysPage,
    needs: "manage",
    link: ["section.account", "keys"],
  },
  {
    path: "/addresses",
    Page: AddressesPage,
    needs: "manage",
    link: ["section.account", "addresses"],
  },
  {
    path: "/opt-outs",
    Page: OptOutsPage,
    needs: "look",
    operations: ["readOptOuts"],
    link: ["section.account", "optOuts"],
  },
  {
    path: "/webhooks",
    Page: WebhooksPage,
    needs: "look",
    operations: ["readWebhooks"],
    link: ["section.account", "webhooks"],
  },
  {
    path: "/code",
    Page: CodePage,
    needs: "look",
    link: ["section.account", "code"],
  },
  {
    path: "/operators",
    Page: OperatorsPage,
    needs: "see",
    link: ["section.network", "operators"],
  },
  {
    path: "/connectors",
    Page: ConnectorsPage,
    needs: "see",
    link: ["section.network", "connectors"],
  },
  {
    path: "/routes",
    Page: RoutesPage,
    needs: "see",
    link: ["section.network", "routes"],
  },
  {
    path: "/lines",
    Page: LinesPage,
    needs: "see",
    link: ["section.network", "lines"],
  },
  {
    path: "/rules",
    Page: RulesPage,
    needs: "see",
    link: ["section.network", "rules"],
  },
  {
    path: "/block-lists",
    Page: BlockListsPage,
    needs: "see",
    link: ["section.network", "blockLists"],
  },
  { path: "/block-lists/:name", Page: BlockListPage, needs: "see" },
  {
    path: "/opt-outs",
    Page: OptOutsPage,
    needs: "see",
    operations: ["readOptOuts"],
    link: ["section.network", "optOuts"],
  },
  {
    path: "/tariffs",
    Page: TariffsPage,
    needs: "see",
    link: ["section.network", "tariffs"],
  },
  {
    path: "/credit",
    Page: CreditPage,
    needs: "look",
    operations: ["readCredit"],
    link: ["section.account", "credit"],
  },
  {
    path: "/staff",
    Page: PeoplePage,
    needs: "staff",
    link: ["section.settings", "staff"],
  },
  {
    path: "/setup",
    Page: SetupPage,
    needs: "setup",
    link: ["section.settings", "setup"],
  },
  {
    path: "/audit",
    Page: AuditPage,
    needs: "audit",
    link: ["section.settings", "audit"],
  },
  { path: "/profile", Page: ProfilePage },
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
export function loadPage(pathname: string): void {
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
