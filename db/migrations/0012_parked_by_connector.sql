-- safe
-- Finds the newest parked receipts of a connector, so that the oldest beyond the bound can go.
create index unmatched_receipt_by_connector on unmatched_receipt (connector_id, id);
