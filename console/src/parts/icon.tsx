// The signs of the console, 16 by 16, drawn in the colour of the text beside them. They say nothing
// by themselves to a screen reader.

const paths = {
  overview: "M2 9.5h3l2-6 3 9 2-5h2",
  home: "M2.500 7.500 8 2.800l5.500 4.700M4 6.500v7h8v-7M6.800 13.500v-3.700h2.400v3.700",
  messages: "M2.500 3.500h11v7.500h-6l-3 2.500v-2.500h-2zM5 6.200h6M5 8.400h4",
  send: "M2.500 8 13.500 3l-3.500 10.500-2.500-4.500zM7.500 9l6-6",
  campaign: "M2.500 6.500v3h2l5 3v-9l-5 3zM11.500 6a2.500 2.500 0 0 1 0 4",
  received: "M8 2.500v7M5 6.800l3 3 3-3M2.500 9.500v4h11v-4",
  accounts:
    "M6 7.500a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600ZM1.800 13.300c.3-2.500 2-3.800 4.200-3.800s3.900 1.300 4.200 3.800M10.500 3.100a2.200 2.200 0 0 1 0 4.200M11.800 9.800c1.400.5 2.200 1.700 2.400 3.500",
  reports: "M2.500 13.500h11M4.500 11.500v-4M8 11.500v-8M11.500 11.500v-6",
  credit: "M2 4.500h12v8H2zM2 7h12M4.500 10h2.500",
  templates: "M3 2.500h10v11H3zM5.500 5.500h5M5.500 8h2M9.500 8h1M5.500 10.500h4",
  users:
    "M6 7.500a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600ZM1.800 13.300c.3-2.500 2-3.800 4.200-3.800s3.900 1.300 4.200 3.800M12.500 5v4M10.500 7h4",
  keys: "M5.500 10.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8.500 7.500h5.500M11.500 7.500v2.500M14 7.500v2",
  addresses:
    "M8 14s4.500-4.200 4.500-7.500a4.500 4.500 0 0 0-9 0C3.500 9.800 8 14 8 14ZM8 8.200a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400Z",
  code: "M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500M9 3l-2 10",
  staff:
    "M8 7a2.300 2.300 0 1 0 0-4.600A2.300 2.300 0 0 0 8 7ZM3.500 13.500V12c0-1.900 1.600-3 4.500-3s4.500 1.100 4.500 3v1.500M8 10.500v1.500",
  audit: "M4 2.500h8v11H4zM6 5.300h4M6 8h4M6 10.700h2.500",
  profile: "M8 8a2.600 2.600 0 1 0 0-5.200A2.600 2.600 0 0 0 8 8ZM3 13.500c.4-2.700 2.300-4 5-4s4.600 1.300 5 4",
  operators:
    "M8 9v4.500M5.500 13.500h5M8 7a1 1 0 1 0 0-2 1 1 0 0 0 0 2ZM4.800 9.200a4.500 4.500 0 0 1 0-6.400M11.200 9.200a4.500 4.500 0 0 0 0-6.400",
  connectors:
    "M6.500 9.500l3-3M5 7.500 3.300 9.200a2.500 2.500 0 0 0 3.500 3.500L8.500 11M7.500 5l1.700-1.700a2.500 2.500 0 0 1 3.500 3.500L11 8.500",
  routes: "M3.500 13.500v-4a3 3 0 0 1 3-3h6M10 3.500l3 3-3 3M3.500 2.500v3",
  lines: "M2.500 5h11M2.500 8h11M2.500 11h7",
  tariffs: "M8.500 2.500h5v5l-6 6-5-5zM11 5h.01",
  setup: "M5.500 2.500h5l3 3v8h-11v-11zM6 9.500l2 2 2.500-4",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9ZM10.400 10.400l3.300 3.300",
  sun: "M8 10.800a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600ZM8 1.500v1.300M8 13.200v1.300M1.500 8h1.300M13.200 8h1.300M3.400 3.400l.9.9M11.700 11.700l.9.9M3.400 12.600l.9-.9M11.700 4.300l.9-.9",
  moon: "M13.300 9.700A5.700 5.700 0 0 1 6.300 2.700a5.700 5.700 0 1 0 7 7Z",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  check: "M3 8.500l3.200 3.200L13 4.800",
  close: "M4 4l8 8M12 4l-8 8",
  down: "M4 6l4 4 4-4",
  next: "M6 3.500 10.500 8 6 12.500",
  warning: "M8 2.300 14.300 13.300H1.700zM8 6.500v3.300M8 11.500v.2",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  out: "M6.500 2.500h-4v11h4M6.500 8h7M10.500 5l3 3-3 3",
  node: "M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.01M5 11h.01",
} as const;

export type IconName = keyof typeof paths;

/** Those that mean a direction are mirrored where the page runs from right to left. */
const directed: readonly IconName[] = ["next", "out"];

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      aria-hidden="true"
      width="1.143em"
      height="1.143em"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.400"
      strokeLinecap="round"
      strokeLinejoin="round"
      data-mirrored={directed.includes(name) ? "" : undefined}
    >
      <path d={paths[name]} />
    </svg>
  );
}
