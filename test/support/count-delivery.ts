// Counts of deliveries as the reports make them, without the messages.
import { uuidFloor } from "../../src/platform/uuid.ts";
import { addToDelivery } from "../../src/store/delivery-quality.ts";
import type { TestApi } from "./test-api.ts";

type Rows = Pick<TestApi, "rows">;

/** Everything until now is counted. */
export async function endCounting(api: Rows): Promise<void> {
  await api.rows("update report_progress set time_zone = 'UTC', counted_until = $1, corrected_at = now()", [
    uuidFloor(Date.now()),
  ]);
}

export interface CountedDelivery {
  readonly hoursAgo: number;
  readonly messages: number;
  readonly account?: string;
  readonly operator?: string;
  readonly connector?: number;
  readonly status?: number;
  readonly failure?: string;
  readonly time?: number;
}

export async function countDelivery(
  api: Rows,
  { account = "demo", operator = "MCI", connector, ...given }: CountedDelivery,
): Promise<void> {
  const { hoursAgo, status = 2, failure = "", time = 2, messages } = given;
  await api.rows(
    addToDelivery(`(
      select date_bin('15 minutes', now() - make_interval(mins => (60 * $1::float8)::int), 'epoch') as at, a.id as account_id,
             '10001234' as line, $3::text as operator, coalesce($4, c.id) as connector_id, $5::int as status, $6::text as failure,
             $7::int as time, $8::int as n
        from account a, configured_object c where a.name = $2 and c.name = 'mci-1') given`),
    [hoursAgo, account, operator, connector ?? null, status, failure, time, messages],
  );
}
