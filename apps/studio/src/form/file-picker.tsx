import type { JSX } from "preact";
import { useState } from "preact/hooks";

interface FilePickerProps {
  readonly name: string;
  readonly set: (text: string) => void;
  /** True for base64; false for text in UTF-8. */
  readonly isEncoded: boolean;
}

/** Reads a file into a string. */
export function FilePicker({ name, set, isEncoded }: FilePickerProps): JSX.Element {
  const [status, setStatus] = useState("");
  const read = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (file === undefined) return;
    setStatus(`Reading ${file.name} …`);
    try {
      set(isEncoded ? await readBase64(file) : await file.text());
      setStatus(`${file.name}, ${file.size.toLocaleString("en")} bytes`);
    } catch {
      setStatus(`${file.name} cannot be read.`);
    }
    // The same file can be picked again after it has changed.
    input.value = "";
  };
  return (
    <span class="form-file">
      <input
        type="file"
        aria-label={`File for ${name}`}
        onChange={(event) => void read(event.currentTarget)}
      />
      <span class="form-note" role="status">
        {status}
      </span>
    </span>
  );
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(",") + 1));
    });
    reader.addEventListener("error", () => reject(reader.error ?? new Error("unreadable")));
    reader.readAsDataURL(file);
  });
}
