import { childPointer } from "@toolweave/core/adapter";
import type { FormPath, PathStep } from "../json/node.ts";

/** A place in the value of a form. The place below another one is always the same object, so that components compare it. */
export class Place {
  readonly path: FormPath;
  /** A JSON pointer. */
  readonly pointer: string;
  readonly #children = new Map<PathStep, Place>();

  constructor(path: FormPath = [], pointer = "") {
    this.path = path;
    this.pointer = pointer;
  }

  get depth(): number {
    return this.path.length;
  }

  child(step: PathStep): Place {
    let child = this.#children.get(step);
    if (child === undefined) {
      child = new Place([...this.path, step], childPointer(this.pointer, step));
      this.#children.set(step, child);
    }
    return child;
  }
}

/** The `id` of a part of a field, without characters that separate ids. */
export function fieldId(formId: string, pointer: string, part: string): string {
  return `${formId}-${encodeURIComponent(pointer)}-${part}`;
}

/** The JSON pointer of the field whose control has an `id` of `fieldId`; `undefined`: it is none. */
export function pointerFromId(formId: string, id: string): string | undefined {
  if (!id.startsWith(`${formId}-`) || !id.endsWith("-control")) return undefined;
  return decodeURIComponent(id.slice(formId.length + 1, -"-control".length));
}
