// Somebody as the audit names them (`staff:NAME`, `user:ACCOUNT/NAME`, `command:OSUSER@HOST`,
// `gateway`), as a person is told.
import type { Translate } from "../texts/texts.ts";

export function whoText(t: Translate, who: string): string {
  const [, kind = "", name = who] = /^(\w+):(.*)$/s.exec(who) ?? [];
  // Names keep their own direction within a sentence (Unicode's first strong isolate).
  const isolated = `\u2068${name}\u2069`;
  if (who === "gateway") return t("who.gateway");
  if (kind === "command") return t("who.command", { name: isolated });
  return isolated;
}
