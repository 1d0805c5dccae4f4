-- safe
-- A connector's tls.ca is shown to staff and exported. Private keys that stood beside its certificates
-- are taken out of it. Where nothing else stood there, it goes: it never let a link trust anybody.

update connector
   set settings = case when kept = '' then settings #- '{tls,ca}' else jsonb_set(settings, '{tls,ca}', to_jsonb(kept)) end
  from (select id, btrim(regexp_replace(settings #>> '{tls,ca}',
                 '-----BEGIN [A-Z ]{0,40}?PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}?PRIVATE KEY-----|$)', '', 'g'), E' \t\r\n') as kept
          from connector where settings #>> '{tls,ca}' like '%PRIVATE KEY-----%') found
 where connector.id = found.id;
