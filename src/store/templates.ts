// Templates as the console lists them. They are saved as a part of the setup (setup-accounts.ts).
import type { GivenTlv } from "../sms/template.ts";
import type { Queryable } from "./database.ts";

export type TemplateStanding = "pending" | "approved" | "refused";

export interface ListedTemplate {
  readonly id: string;
  readonly account: string;
  readonly content: string;
  readonly sender: string | null;
  readonly validSeconds: number | null;
  readonly purpose: "code" | "information";
  readonly tlvs: readonly GivenTlv[];
  readonly approved: boolean;
  /** Why it was refused. */
  readonly refused: string | null;
  readonly askedAt: Date;
  readonly state: TemplateStanding;
}

export interface TemplateFilter {
  readonly accountId?: number | undefined;
  readonly state?: TemplateStanding | undefined;
  /** The id of the last one of the page before. */
  readonly after: string;
  readonly limit: number;
}

/** In the order of their ids. */
export function listTemplatePage(db: Queryable, filter: TemplateFilter): Promise<ListedTemplate[]> {
  return db.query<ListedTemplate>({
    name: "listTemplatePage",
    text: `/* listTemplatePage */
select * from (
  select t.id, a.name as account, t.content, t.sender, t.valid_seconds as "validSeconds", t.purpose, t.tlvs, t.approved, t.refused_reason as refused,
         t.asked_at as "askedAt", case when t.approved then 'approved' when t.refused_reason is null then 'pending' else 'refused' end as state
    from template t join account a on a.id = t.account_id
   where t.id > $1 and ($2::int is null or t.account_id = $2)) listed
 where $3::text is null or state = $3
 order by id limit $4`,
    values: [filter.after, filter.accountId ?? null, filter.state ?? null, filter.limit],
  });
}
