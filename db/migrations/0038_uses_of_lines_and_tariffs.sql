-- safe
-- Who uses a line or a tariff is found without reading all accounts, when one is to be removed.

create index account_of_tariff on account (tariff_id, id);
create index account_of_line on account_line (line_id, account_id);
create index template_of_sender on template (sender, id) where sender is not null;
