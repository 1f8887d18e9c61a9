/** Outlines on a grid of 16 by 16. */
const outlines = {
  overview: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
  tools: "M10 2a4 4 0 0 0-3.6 5.6L2 12l2 2 4.4-4.4A4 4 0 0 0 14 6l-2.5 1.5-2-2L11 3a4 4 0 0 0-1-1z",
  sources:
    "M3 4c0-1 2-2 5-2s5 1 5 2-2 2-5 2-5-1-5-2zM3 4v8c0 1 2 2 5 2s5-1 5-2V4M3 8c0 1 2 2 5 2s5-1 5-2",
  problems: "M8 2 1.5 13.5h13zM8 6v4M8 12h.01",
  approvals: "M3 8.5 6.5 12 13 4.5",
  grants: "M5 11a3 3 0 1 1 2.8-4H14v3h-2v2h-2v-2H7.8A3 3 0 0 1 5 11z",
  runs: "M2 4h7M5 8h8M3 12h5",
  tasks: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3l2 2",
  memory: "M4 2h8v12l-4-3-4 3z",
  policy: "M8 1.5 13 3v5c0 3-2 5-5 6.5C5 13 3 11 3 8V3z",
  audit: "M4 2h6l3 3v9H4zM6 7h5M6 10h5",
  lock: "M4 7h8v7H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
  help: "M6 6a2 2 0 1 1 3 1.7c-.7.4-1 .8-1 1.8M8 12h.01M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14",
  allow: "M3.5 8.5 6.5 11.5 12.5 4.5",
  ask: "M6 6a2 2 0 1 1 3 1.7c-.7.4-1 .8-1 1.8M8 12h.01",
  deny: "M4 4l8 8M12 4l-8 8",
  right: "M6 3l5 5-5 5",
  down: "M3 6l5 5 5-5",
  left: "M10 3 5 8l5 5",
  copy: "M5 5h8v9H5zM3 11V2h7",
  play: "M5 3l8 5-8 5z",
  stop: "M4 4h8v8H4z",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2v12",
  menu: "M2 4h12M2 8h12M2 12h12",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof outlines;

/** An icon beside its text: screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={outlines[name]} />
    </svg>
  );
}
