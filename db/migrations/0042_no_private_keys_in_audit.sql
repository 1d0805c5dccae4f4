-- safe
-- What 0041 left: entries of the audit about connectors still showed private keys of tls.ca. There it
-- stands as an object, or as the first 2,000 characters of one (line breaks written \n or \\n, the key
-- perhaps without its end). And a tls.ca whose only secret was taken out may have kept other lines,
-- which are no certificate and let a link trust nobody.

update audit_entry
   set before = regexp_replace(before::text, key.pattern, '(private key removed)', 'g')::jsonb,
       after = regexp_replace(after::text, key.pattern, '(private key removed)', 'g')::jsonb
  from (values ('-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[^"\\…-]|\\+[nrt]|-(?!-))*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?'))
       as key (pattern)
 where kind = 'connector' and (before::text like '%PRIVATE KEY-----%' or after::text like '%PRIVATE KEY-----%');

update connector
   set settings = settings #- '{tls,ca}'
 where settings #>> '{tls,ca}' !~ '-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----';
