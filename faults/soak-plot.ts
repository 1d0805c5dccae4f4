// Draws what a soak measured as one small SVG, for light and dark pages alike. Pure.
import type { SoakMinute, SoakSample } from "./soak-verdict.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

const width = 760;
const panelHeight = 120;
const gap = 42;
const left = 52;
const right = 120;
const top = 22;
const style = `text{font:11px system-ui,sans-serif;fill:#57606a}.t{font-weight:600;fill:#24292f}.g{stroke:#d0d7de;stroke-width:1}
.c0{stroke:#0969da;fill:none;stroke-width:1.5}.c1{stroke:#bc4c00;fill:none;stroke-width:1.5}.k0{fill:#0969da}.k1{fill:#bc4c00}
@media(prefers-color-scheme:dark){text{fill:#8b949e}.t{fill:#e6edf3}.g{stroke:#30363d}.c0{stroke:#58a6ff}.c1{stroke:#f0883e}.k0{fill:#58a6ff}.k1{fill:#f0883e}}`;

export function drawSoak(samples: readonly SoakSample[], minutes: readonly SoakMinute[]): string {
  const of = (value: (sample: SoakSample) => number): Point[] =>
    samples.map((sample) => ({ x: sample.atSeconds / 60, y: value(sample) }));
  const ofMinutes = (value: (minute: SoakMinute) => number): Point[] =>
    minutes.map((minute, index) => ({ x: index + 0.5, y: value(minute) }));
  const panels: readonly { title: string; lines: readonly Line[] }[] = [
    {
      title: "memory of the gateway, MB",
      lines: [
        { name: "resident", points: of(({ rssMegabytes }) => rssMegabytes) },
        { name: "heap in use", points: of(({ heapMegabytes }) => heapMegabytes) },
      ],
    },
    {
      title: "time of a call, ms",
      lines: [
        { name: "p99", points: ofMinutes(({ p99Ms }) => p99Ms) },
        { name: "p50", points: ofMinutes(({ p50Ms }) => p50Ms) },
      ],
    },
    {
      title: "open handles, database sessions",
      lines: [
        { name: "handles", points: of(({ handles }) => handles) },
        { name: "sessions", points: of(({ sessions }) => sessions) },
      ],
    },
    { title: "messages under way", lines: [{ name: "messages", points: of(({ underWay }) => underWay) }] },
  ];
  const lastMinute = Math.max(1, minutes.length, (samples.at(-1)?.atSeconds ?? 0) / 60);
  const height = panels.length * (panelHeight + gap) + top;
  const drawn = panels.map(({ title, lines }, index) =>
    drawPanel({ title, lines, y: top + index * (panelHeight + gap), lastMinute }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Memory, latency, handles and queue over the time of a soak">
<style>${style}</style>
${drawn.join("\n")}
</svg>
`;
}

function drawPanel({
  title,
  lines,
  y,
  lastMinute,
}: {
  title: string;
  lines: readonly Line[];
  y: number;
  lastMinute: number;
}): string {
  const highest = niceCeiling(Math.max(1, ...lines.flatMap(({ points }) => points.map((point) => point.y))));
  const toX = (minute: number): number => left + (minute / lastMinute) * (width - left - right);
  const toY = (value: number): number => y + panelHeight - (value / highest) * panelHeight;
  const grid = [0, highest / 2, highest].map(
    (value) =>
      `<path class="g" d="M${left} ${round(toY(value))}H${width - right}"/><text x="${left - 6}" y="${round(toY(value) + 4)}" text-anchor="end">${round(value)}</text>`,
  );
  const curves = lines.map(({ name, points }, index) => {
    const path = points
      .map((point, at) => `${at === 0 ? "M" : "L"}${round(toX(point.x))} ${round(toY(point.y))}`)
      .join("");
    const label = `<text class="k${index}" x="${width - right + 8}" y="${y + 14 + index * 16}">${name} ${round(points.at(-1)?.y ?? 0)}</text>`;
    return `<path class="c${index}" d="${path}"/>${label}`;
  });
  const ends = `<text x="${left}" y="${y + panelHeight + 14}">0</text><text x="${width - right}" y="${y + panelHeight + 14}" text-anchor="end">${round(lastMinute)} min</text>`;
  return [`<text class="t" x="${left}" y="${y - 7}">${title}</text>`, ...grid, ...curves, ends].join("\n");
}

/** The least of 1, 2, 5, 10, 20, 50 … that is not less. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((nice) => nice >= value) ?? value;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
