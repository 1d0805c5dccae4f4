// The note that every statement takes which may change the status of messages: reports that have
// counted them are corrected by it (reports.ts). New messages are not counted yet and cost nothing
// but the comparison.

/**
 * A common table expression; `changed` names the one that returns account_id and id of the changed
 * messages.
 */
export function noteChanges(changed: string): string {
  return `noted as (
  insert into report_change (account_ids, message_ids)
  select array_agg(account_id), array_agg(id) from ${changed} where id < (select noted_until from report_progress) having count(*) > 0
)`;
}
