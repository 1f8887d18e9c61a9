import { safeJson, safeLine } from "../../render/text.ts";
import type { Member, TypeNode } from "./schema-type.ts";

/** Finds the types to which references lead. */
export interface ReferencedTypes {
  /** Returns the name of a type. */
  getName(reference: string): string;
  /** Returns the number of types that a type is the union of. */
  countTypes(reference: string): number;
}

/** The compiler multiplies the unions in an intersection, and gives up at 100,000 types. Beyond this it is `unknown`. */
const maxTypes = 10_000;

/** Characters of a union on one line. A longer one has a line for each type, so that a change is one. */
const maxLine = 80;

/**
 * Formats a type as TypeScript.
 *
 * @param margin the indentation of the line in which it begins.
 */
export function printType(type: TypeNode, types: ReferencedTypes, margin = ""): string {
  return new Printer(types).print(type, margin);
}

/** Returns the number of types that a type is the union of, for the compiler. */
export function countTypes(type: TypeNode, types: ReferencedTypes): number {
  const count = (one: TypeNode): number => countTypes(one, types);
  switch (type.kind) {
    case "union":
      return type.members.reduce((sum, one) => sum + count(one), 0);
    case "intersection":
      return type.members.reduce((product, one) => product * count(one), 1);
    case "reference":
      return types.countTypes(type.reference);
    default:
      return type.kind === "text" && type.text === "boolean" ? 2 : 1;
  }
}

class Printer {
  readonly #types: ReferencedTypes;

  constructor(types: ReferencedTypes) {
    this.#types = types;
  }

  print(type: TypeNode, margin: string): string {
    switch (type.kind) {
      case "text":
        return safeJson(type.text);
      case "reference":
        return this.#types.getName(type.reference);
      case "union":
        return this.#printUnion(type.members, margin);
      case "intersection":
        return this.#printIntersection(type, margin);
      case "tuple":
        return this.#printTuple(type, margin);
      case "object":
        return this.#printObject(type, margin);
    }
  }

  #printUnion(members: readonly TypeNode[], margin: string): string {
    const texts = members.map((one) => this.print(one, margin));
    const line = texts.join(" | ");
    if (line.length <= maxLine || line.includes("\n")) return line;
    return texts.map((text) => `\n${margin}  | ${text}`).join("");
  }

  #printIntersection(type: TypeNode & { kind: "intersection" }, margin: string): string {
    if (countTypes(type, this.#types) > maxTypes) return "unknown";
    return type.members
      .map((one) =>
        one.kind === "union" ? `(${this.print(one, margin)})` : this.print(one, margin),
      )
      .join(" & ");
  }

  #printTuple({ items, rest }: TypeNode & { kind: "tuple" }, margin: string): string {
    const isClosed = rest.kind === "text" && rest.text === "never";
    if (items.length === 0 && !isClosed) return `${this.#printItem(rest, margin)}[]`;
    const texts = items.map(({ type, isOptional }) =>
      isOptional ? `${this.#printItem(type, margin)}?` : this.print(type, margin),
    );
    if (!isClosed) texts.push(`...${this.#printItem(rest, margin)}[]`);
    return `[${texts.join(", ")}]`;
  }

  /** Formats a type that has `[]` or `?` after it. */
  #printItem(type: TypeNode, margin: string): string {
    const text = this.print(type, margin);
    return type.kind === "union" || type.kind === "intersection" ? `(${text})` : text;
  }

  #printObject({ members, index }: TypeNode & { kind: "object" }, margin: string): string {
    const inside = `${margin}  `;
    const lines = members.map((member) => this.#printMember(member, inside));
    const others = index ?? (members.length === 0 ? never : undefined);
    if (others !== undefined) {
      lines.push(printAfter(`${inside}[key: string]:`, this.print(others, inside)));
    }
    return `{\n${lines.join("")}${margin}}`;
  }

  #printMember({ name, description, type, isOptional }: Member, margin: string): string {
    const mark = isOptional ? "?" : "";
    const text = this.print(type, margin);
    const start = `${printComment(description, margin)}${margin}${printKey(name)}${mark}:`;
    return printAfter(start, text);
  }
}

/** `{}` would be any value. */
const never: TypeNode = { kind: "text", text: "never" };

/** Formats the end of a declaration, with its type: a union may begin on the next line. */
export function printAfter(start: string, type: string): string {
  return `${start}${type.startsWith("\n") ? "" : " "}${type};\n`;
}

/** Formats the name of a member. */
export function printKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : safeJson(JSON.stringify(name));
}

/** Formats the first line of a description as a comment on a line of its own. */
export function printComment(description: string, margin: string): string {
  const [line = ""] = description.trim().split(/[\r\n\u2028\u2029]/, 1);
  return line === "" ? "" : `${margin}/** ${safeLine(line).replaceAll("*/", "*\\/")} */\n`;
}
