import { useState } from "preact/hooks";
import { announce } from "./announcer.tsx";
import { Icon } from "./icon.tsx";

/** Copies a text to the clipboard. */
export function CopyButton({ text, label = "Copy" }: { text: () => string; label?: string }) {
  const [result, setResult] = useState<string>();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setResult("Copied");
      announce("Copied");
    } catch {
      setResult("The browser refused");
    }
  };
  return (
    <button type="button" class="button small quiet" onClick={() => void copy()}>
      <Icon name="copy" />
      {result ?? label}
    </button>
  );
}
