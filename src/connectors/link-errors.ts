// Why a bind of a link went down or did not come up, as one of a few kinds that can be told in any
// language. The text of an error stays beside it, as the operator's engineer knows it.

export const linkErrorKinds = [
  "timeout",
  "closed",
  "nameUnknown",
  "nothingListens",
  "unreachable",
  "certificate",
  "clientCertificate",
  "notTls",
  "wrongPassword",
  "wrongSystemId",
  "alreadyBound",
  "refused",
  "unbound",
  "silent",
  "garbled",
  "other",
] as const;
export type LinkErrorKind = (typeof linkErrorKinds)[number];
