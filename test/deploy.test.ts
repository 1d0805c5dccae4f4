// The files of deploy/: what the systemd unit closes, that base images have exact versions, and
// that the alerts are those of the runbook.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";

const deploy = fileURLToPath(new URL("../deploy", import.meta.url));
const linesOf = (name: string): string[] => readFileSync(path.join(deploy, name), "utf8").split("\n");

it.each(["LimitCORE=0", "ProtectProc=invisible", "RemoveIPC=yes", "SystemCallFilter=@system-service"])(
  "the unit sets %s",
  (setting) => {
    expect(linesOf("hodhod.service")).toContain(setting);
  },
);

it("the image has no Node.js whose string hash has collisions that can be computed", () => {
  const security = readFileSync(path.join(deploy, "..", "SECURITY.md"), "utf8");
  const sound = /\(20\.\d+\.\d+, (22\.\d+\.\d+), 24\.\d+\.\d+\)/.exec(security)?.[1] ?? "";
  const bases = linesOf("Dockerfile").flatMap((line) => /^FROM node:([\d.]+)/.exec(line)?.[1] ?? []);
  expect(bases).toHaveLength(2);
  const order = new Intl.Collator("en", { numeric: true });
  for (const base of bases) expect(order.compare(base, sound), `${base}, sound is ${sound}`).toBeGreaterThanOrEqual(0);
});

it("base images are named by an exact version or a digest", () => {
  const images = [...linesOf("Dockerfile"), ...linesOf("compose.yaml")]
    .map((line) => /^FROM (\S+:\S+)|^\s+image: (postgres\S+)/.exec(line))
    .flatMap((match) => (match === null ? [] : [match[1] ?? match[2]]));
  expect(images.length).toBeGreaterThan(1);
  for (const image of images) expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-|$)|@sha256:[0-9a-f]{64}$/);
});

interface Alert {
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook: string };
}

function readAlerts(): readonly Alert[] {
  const { groups } = parse(linesOf("prometheus-alerts.yaml").join("\n")) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

it("the alerts are those of the runbook, with their delays and what to do", () => {
  const guide = readFileSync(path.join(deploy, "..", "docs", "operate/runbook.md"), "utf8");
  const [, table = ""] = /\n## Alerts\n([^]*?)\n## /.exec(guide) ?? [];
  const documented = [
    ...table.matchAll(/^\| `([^`]+)`[^|]*\| ([^|]*) ?\| (now|next day)[^|]*\| \[[^\]]+\]\((#[^)]+)\)/gm),
  ].map(([, expr, delay = "", when, runbook]) => ({
    expr,
    for: delay.replace(" min", "m").replace(" h", "h").trim(),
    when,
    runbook,
  }));
  const rules = readAlerts().map(({ expr, for: delay = "", labels, annotations }) => ({
    expr,
    for: delay,
    when: labels.severity === "page" ? "now" : "next day",
    runbook: annotations.runbook.replace("docs/operate/runbook.md", ""),
  }));
  // All but free space and backups, which are in words.
  expect(rules).toHaveLength(18);
  expect(rules).toEqual(documented);
});
