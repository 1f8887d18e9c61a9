import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { streamState, type StreamState } from "../api/event-stream.ts";
import { status } from "../api/live.ts";
import { Link } from "../navigation/link.tsx";
import { route } from "../navigation/location.ts";
import { theme, type Theme } from "../navigation/preferences.ts";
import { toPath, type ScreenName } from "../navigation/routes.ts";
import { Icon } from "../ui/icon.tsx";
import { navigation } from "./navigation-items.ts";
import { openPalette } from "./palette-state.ts";

/** The navigation beside the screen. */
export function Layout({ children }: { children: ComponentChildren }) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const current = route.value;
  useEffect(() => setMenuOpen(false), [current]);
  return (
    <div class={isMenuOpen ? "layout menu-open" : "layout"}>
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <header class="sidebar">
        <div class="brand">
          <span class="brand-mark" aria-hidden="true" />
          <Link href="/" class="brand-name">
            Toolweave Studio
          </Link>
          <button
            type="button"
            class="button quiet menu-button"
            aria-expanded={isMenuOpen}
            aria-controls="navigation"
            onClick={() => setMenuOpen(!isMenuOpen)}
          >
            <Icon name="menu" />
            Menu
          </button>
        </div>
        <div class="sidebar-content" id="navigation">
          <button type="button" class="palette-button" onClick={openPalette}>
            <Icon name="search" />
            <span>Find or go to…</span>
            <kbd>{isMac() ? "⌘" : "Ctrl"} K</kbd>
          </button>
          <nav aria-label="Screens">
            {navigation.map(({ title, items }) => (
              <div key={title} class="nav-group">
                <h2 class="nav-title">{title}</h2>
                <ul>
                  {items.map((item) => (
                    <li key={item.screen}>
                      <Link
                        href={toPath(item.screen)}
                        class="nav-link"
                        aria-current={current?.screen === item.screen ? "page" : undefined}
                      >
                        <Icon name={item.icon} />
                        <span>{item.title}</span>
                        <NavCount screen={item.screen} />
                      </Link>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </nav>
          <footer class="sidebar-footer">
            <LiveState />
            <ThemeChoice />
            <Link href="/help" class="muted-link">
              <Icon name="help" /> Keyboard and help
            </Link>
          </footer>
        </div>
      </header>
      <main id="main" class="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** The number of things that a screen has for the person. */
function NavCount({ screen }: { screen: ScreenName }) {
  const value = status.state.value.value;
  if (value === undefined) return null;
  const counts: Partial<Record<ScreenName, readonly [number, string, string]>> = {
    approvals: [value.waiting, "attention", "waiting"],
    problems: [value.problems, "", "problems"],
    tools: [value.tools.total, "", "tools"],
    sources: [value.sources.length, "", "sources"],
  };
  const [count, tone, unit] = counts[screen] ?? [0, "", ""];
  if (count === 0) return null;
  return (
    <span class={`nav-count ${tone}`}>
      {count.toLocaleString("en")}
      <span class="visually-hidden"> {unit}</span>
    </span>
  );
}

const streamTexts: Readonly<Record<StreamState, readonly [string, string]>> = {
  live: ["Live", "Events come as they happen"],
  behind: ["Behind", "The connection is being made again"],
  stopped: ["Stopped", "No events come: reload the page"],
};

function LiveState() {
  const [text, title] = streamTexts[streamState.value];
  return (
    <p class={`live-state ${streamState.value}`} title={title}>
      <span class="live-dot" aria-hidden="true" />
      {text}
    </p>
  );
}

function ThemeChoice() {
  return (
    <label class="theme-choice">
      <span class="visually-hidden">Colours</span>
      <select
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = currentTarget.value as Theme;
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function isMac(): boolean {
  return /mac/i.test(navigator.userAgent);
}
