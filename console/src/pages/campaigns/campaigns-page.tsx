// The campaigns of an account, or of all.
import type { Campaign } from "../../api/types.ts";
import { useAble, useMay } from "../../frame/person.ts";
import { ListPage } from "../../parts/list-page.tsx";
import { ButtonLink } from "../../parts/controls.tsx";
import { AccountLink, CampaignLink, Moment, Rials } from "../../parts/values.tsx";
import type { Language } from "../../format/numbers.ts";
import { formatTime } from "../../format/times.ts";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";

/** One with a time of sending is `sending` until then, though its rows are accepted at once. */
export function campaignStateText(t: Translate, language: Language, { state, sendAt }: Campaign): string {
  if (state === "sending" && sendAt !== undefined && Date.parse(sendAt) > Date.now())
    return t("campaign.scheduled", { time: formatTime(language, new Date(sendAt)) });
  return t(`campaign.state.${state}`);
}

export function CampaignsPage() {
  const t = useTexts();
  const language = useLanguage();
  const ofAccounts = useAble("see");
  const maySend = useMay("sendBulk", "sendTemplate");
  return (
    <ListPage
      list="GET /campaigns"
      title={t("campaigns.title")}
      lead={t("campaigns.lead")}
      pageActions={
        maySend && (
          <ButtonLink kind="primary" href="/campaigns/new">
            {t("campaign.new")}
          </ButtonLink>
        )
      }
      keyOf={({ id }) => id}
      none={{ title: t("campaigns.none"), text: maySend ? t("campaigns.noneText") : undefined }}
      columns={[
        {
          title: t("object.name"),
          wide: true,
          cell: (campaign) => <CampaignLink {...campaign} />,
        },
        ...(ofAccounts
          ? [
              {
                title: t("message.account"),
                cell: ({ account }: Campaign) => <AccountLink name={account} />,
              },
            ]
          : []),
        {
          title: t("message.state"),
          cell: (campaign) => campaignStateText(t, language, campaign),
        },
        { title: t("campaign.rows"), atEnd: true, cell: ({ rows }) => rows },
        {
          title: t("campaign.accepted"),
          atEnd: true,
          cell: ({ accepted }) => accepted,
        },
        { title: t("message.cost"), atEnd: true, cell: ({ cost }) => <Rials value={cost} /> },
        { title: t("campaign.created"), cell: ({ createdAt }) => <Moment at={createdAt} ago /> },
      ]}
    />
  );
}
