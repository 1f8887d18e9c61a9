import type { RunRow } from "@toolweave/console";
import type { Page } from "../api/paged-resource.ts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { requestJson } from "../api/client.ts";
import { toolList } from "../api/live.ts";
import { useResource } from "../api/resource.ts";
import { endSession } from "../api/session.ts";
import { navigate } from "../navigation/location.ts";
import { singleKeys, theme } from "../navigation/preferences.ts";
import { findItems, screenItems, toRunItem, type PaletteItem } from "./palette-items.ts";
import { isPaletteOpen } from "./palette-state.ts";

/** The command palette: screens, tools, runs and commands by a few letters. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isPaletteOpen.value;
  // Before the next key: it must not go elsewhere. The dialog focuses its first field.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (isOpen) element?.showModal();
    else element?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Find or go to"
      onClose={() => {
        isPaletteOpen.value = false;
      }}
      onClick={({ target, currentTarget }) => {
        // The backdrop belongs to the dialog; its content is in the form.
        if (target === currentTarget) currentTarget.close();
      }}
    >
      {isOpen && <PaletteContent />}
    </dialog>
  );
}

function commands(): readonly PaletteItem[] {
  const themes = (["system", "light", "dark"] as const).map((name) => ({
    id: `theme-${name}`,
    kind: "Command" as const,
    title: `Colours: ${name}`,
    run: () => {
      theme.value = name;
    },
  }));
  const shortcuts: PaletteItem = {
    id: "shortcuts",
    kind: "Command",
    title: singleKeys.value ? "Turn single-key shortcuts off" : "Turn single-key shortcuts on",
    run: () => {
      singleKeys.value = !singleKeys.value;
    },
  };
  const end: PaletteItem = {
    id: "end-session",
    kind: "Command",
    title: "End this session",
    run: () => void closeSession(),
  };
  return [...themes, shortcuts, end];
}

/** Ends the session on the server, and here whether the server answers or not. */
async function closeSession(): Promise<void> {
  try {
    await requestJson("/session", { method: "DELETE" });
  } catch {
    // The token expires by itself.
  }
  endSession("You have ended it.");
}

function PaletteContent() {
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const runs = useResource<Page<RunRow>>("/api/runs?limit=50").state.value.value?.items;
  const tools = toolList.state.value.value?.items;
  const fixed = useMemo(
    () => [...screenItems, ...commands(), ...(runs ?? []).map(toRunItem)],
    [runs],
  );
  const items = useMemo(() => findItems(query, fixed, tools ?? []), [query, fixed, tools]);
  const active = Math.min(index, items.length - 1);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const open = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    isPaletteOpen.value = false;
    if (item.href !== undefined) navigate(item.href);
    item.run?.();
  };
  return (
    <div class="palette-content">
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-label="Find tools, runs, screens and commands"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={items[active] === undefined ? undefined : `palette-${active}`}
        placeholder="Tools, runs, screens, commands"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (event.key === "Enter") open(items[active]);
          else if (step !== undefined) {
            setIndex((active + step + items.length) % Math.max(1, items.length));
          } else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Results" class="palette-list" ref={list}>
        {items.map((item, position) => (
          <li
            key={item.id}
            id={`palette-${position}`}
            role="option"
            aria-selected={position === active}
            class="palette-item"
            onClick={() => open(item)}
            onMouseMove={() => setIndex(position)}
          >
            <span class="palette-kind">{item.kind}</span>
            <span class="palette-title">{item.title}</span>
            <span class="palette-detail">{item.detail}</span>
          </li>
        ))}
      </ul>
      {items.length === 0 && <p class="palette-empty">Nothing has these words.</p>}
    </div>
  );
}
