import { singleKeys } from "../navigation/preferences.ts";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { navigationItems } from "./navigation-items.ts";

const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Everywhere",
    [
      ["Ctrl K or ⌘ K", "Find tools, runs, screens and commands"],
      ["/", "Search on this screen"],
      ["?", "This page"],
      ["Esc", "Close what is open"],
    ],
  ],
  ["Go to", navigationItems.map(({ key, title }) => [`g ${key}`, title] as const)],
  [
    "In lists",
    [
      ["j, k or arrows", "Next and previous row"],
      ["Home, End, Page Up, Page Down", "Move further"],
      ["Enter", "Open the row"],
    ],
  ],
  [
    "A tool and an approval",
    [
      ["Ctrl Enter or ⌘ Enter", "Send the call"],
      ["a, r", "Move to the approve or the reject button; neither decides"],
    ],
  ],
];

/** The shortcuts, and the switch that turns those of a single key off. */
export function HelpScreen() {
  return (
    <>
      <ScreenHeader title="Keyboard and help" />
      <div class="columns">
        {groups.map(([title, rows]) => (
          <section key={title} class="card">
            <h2>{title}</h2>
            <dl class="keys">
              {rows.map(([keys, text]) => (
                <div key={keys}>
                  <dt>
                    <kbd>{keys}</kbd>
                  </dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={({ currentTarget }) => {
            singleKeys.value = currentTarget.checked;
          }}
        />
        Shortcuts of a single key, such as <kbd>/</kbd> and <kbd>g t</kbd>
      </label>
    </>
  );
}
