import type { Random } from "./random.ts";
import { randomLiteral, randomSlice } from "./random-literals.ts";
import type { Type } from "./random-literals.ts";

const types: readonly Type[] = ["int", "float", "str", "bool", "list", "dict", "tuple"];

interface Scope {
  readonly variables: { readonly name: string; readonly type: Type }[];
  readonly functions: {
    readonly name: string;
    readonly parameters: Type[];
    readonly result: Type;
  }[];
  readonly inLoop: boolean;
  readonly inFunction: boolean;
}

/** Writes programs in the part of the language that old and new versions of starlark-go share. */
export class ProgramGenerator {
  readonly #random: Random;
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  generate(): string {
    const scope: Scope = { variables: [], functions: [], inLoop: false, inFunction: false };
    const lines: string[] = [];
    const count = 3 + this.#random.below(6);
    for (let index = 0; index < count; index++) lines.push(...this.#topLevel(scope));
    lines.push(`print(${scope.variables.map(({ name }) => name).join(", ")})`);
    return `${lines.join("\n")}\n`;
  }

  #fresh(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  #topLevel(scope: Scope): string[] {
    if (this.#random.chance(0.35)) return this.#def(scope);
    return this.#statement(scope, 0);
  }

  #def(outer: Scope): string[] {
    const name = this.#fresh("f");
    const parameters = Array.from({ length: this.#random.below(4) }, () =>
      this.#random.pick(types),
    );
    const variables = parameters.map((type) => ({ name: this.#fresh("p"), type }));
    const scope: Scope = {
      variables: [...outer.variables, ...variables],
      functions: [...outer.functions],
      inLoop: false,
      inFunction: true,
    };
    const defaults = variables.map(({ name: parameter, type }, index) => {
      const optional = index === variables.length - 1 && this.#random.chance(0.3);
      return optional ? `${parameter}=${this.#expression(outer, type, 1)}` : parameter;
    });
    if (this.#random.chance(0.1)) defaults.push("*args");
    if (this.#random.chance(0.1)) defaults.push("**kwargs");
    const result = this.#random.pick(types);
    const lines = [`def ${name}(${defaults.join(", ")}):`];
    const count = 1 + this.#random.below(4);
    for (let index = 0; index < count; index++) lines.push(...indent(this.#statement(scope, 1)));
    lines.push(...indent([`return ${this.#expression(scope, result, 2)}`]));
    outer.functions.push({ name, parameters, result });
    return lines;
  }

  #statement(scope: Scope, depth: number): string[] {
    const choice = this.#random.below(scope.inFunction ? 12 : 5);
    if (choice < 3) return [this.#assign(scope)];
    if (choice === 3) return [`print(${this.#expression(scope, "any", 3)})`];
    if (choice === 4)
      return [
        `print(repr(${this.#expression(scope, "any", 2)}), ${this.#expression(scope, "str", 2)})`,
      ];
    if (choice < 7 && depth < 3) return this.#if(scope, depth);
    if (choice < 9 && depth < 3) return this.#for(scope, depth);
    if (choice === 9) return [this.#mutation(scope)];
    if (choice === 10 && scope.inLoop) return [this.#random.pick(["break", "continue"])];
    return [this.#augmented(scope)];
  }

  #assign(scope: Scope): string {
    const type = this.#random.pick(types);
    const value = this.#expression(scope, type, 3);
    if (this.#random.chance(0.15)) {
      const [first, second] = [this.#fresh("v"), this.#fresh("v")];
      const other = this.#random.pick(types);
      const line = `${first}, ${second} = ${value}, ${this.#expression(scope, other, 2)}`;
      scope.variables.push({ name: first, type }, { name: second, type: other });
      return line;
    }
    const name = this.#fresh("v");
    scope.variables.push({ name, type });
    return `${name} = ${value}`;
  }

  #augmented(scope: Scope): string {
    const own = scope.variables.filter(({ name }) => name.startsWith("v") || name.startsWith("p"));
    if (own.length === 0 || !scope.inFunction) return "pass";
    const variable = this.#random.pick(own);
    const operator = this.#random.pick(["+=", "-=", "*=", "//=", "%=", "|=", "&=", "^="]);
    const usual =
      variable.type === "list" || variable.type === "str" || variable.type === "tuple"
        ? "+="
        : operator;
    return `${variable.name} ${usual} ${this.#expression(scope, variable.type, 1)}`;
  }

  #mutation(scope: Scope): string {
    const list = this.#variable(scope, "list");
    const dict = this.#variable(scope, "dict");
    const value = this.#expression(scope, "any", 1);
    const options = ["pass"];
    if (list !== undefined) {
      options.push(
        `${list}.append(${value})`,
        `${list}.extend(${this.#expression(scope, "list", 1)})`,
        `${list}.insert(${this.#expression(scope, "int", 0)}, ${value})`,
        `${list}.pop()`,
        `${list}[${this.#random.below(3)}] = ${value}`,
        `${list}.remove(${value})`,
      );
    }
    if (dict !== undefined) {
      options.push(
        `${dict}[${this.#key(scope)}] = ${value}`,
        `${dict}.update(${this.#expression(scope, "dict", 1)})`,
        `${dict}.pop(${this.#key(scope)}, None)`,
        `${dict}.setdefault(${this.#key(scope)}, ${value})`,
        `${dict}[${this.#key(scope)}] += ${this.#expression(scope, "int", 0)}`,
      );
    }
    return this.#random.pick(options);
  }

  #if(scope: Scope, depth: number): string[] {
    const lines = [`if ${this.#expression(scope, "bool", 2)}:`, ...this.#block(scope, depth)];
    if (this.#random.chance(0.3))
      lines.push(`elif ${this.#expression(scope, "any", 1)}:`, ...this.#block(scope, depth));
    if (this.#random.chance(0.5)) lines.push("else:", ...this.#block(scope, depth));
    return lines;
  }

  #for(scope: Scope, depth: number): string[] {
    const variable = this.#fresh("i");
    const inner: Scope = {
      ...scope,
      variables: [...scope.variables, { name: variable, type: "int" }],
      inLoop: true,
    };
    if (this.#random.chance(0.2)) {
      const second = this.#fresh("i");
      inner.variables.push({ name: second, type: "any" });
      const source = this.#random.pick([
        `enumerate(${this.#expression(scope, "list", 1)})`,
        `${this.#expression(scope, "dict", 1)}.items()`,
        `zip(${this.#expression(scope, "list", 1)}, ${this.#expression(scope, "list", 1)})`,
      ]);
      return [`for ${variable}, ${second} in ${source}:`, ...this.#block(inner, depth)];
    }
    const source = this.#random.pick([
      `range(${this.#random.below(6)})`,
      `range(${this.#random.below(4)}, ${this.#random.below(12)}, ${1 + this.#random.below(3)})`,
      this.#expression(scope, "list", 1),
      this.#expression(scope, "tuple", 1),
      this.#expression(scope, "dict", 1),
    ]);
    return [`for ${variable} in ${source}:`, ...this.#block(inner, depth)];
  }

  #block(scope: Scope, depth: number): string[] {
    const inner: Scope = { ...scope, variables: [...scope.variables], functions: scope.functions };
    const count = 1 + this.#random.below(2);
    const lines: string[] = [];
    for (let index = 0; index < count; index++) lines.push(...this.#statement(inner, depth + 1));
    return indent(lines);
  }

  #variable(scope: Scope, type: Type): string | undefined {
    const fitting = scope.variables.filter((variable) => type === "any" || variable.type === type);
    return fitting.length === 0 ? undefined : this.#random.pick(fitting).name;
  }

  #expression(scope: Scope, wanted: Type, depth: number): string {
    const odd = this.#random.chance(0.03);
    const type = wanted === "any" || odd ? this.#random.pick(types) : wanted;
    if (depth <= 0 || this.#random.chance(0.25)) {
      const variable = this.#random.chance(0.6) ? this.#variable(scope, type) : undefined;
      return variable ?? randomLiteral(this.#random, type);
    }
    const callable = scope.functions.filter((fn) => fn.result === type);
    if (callable.length > 0 && this.#random.chance(0.2)) {
      const fn = this.#random.pick(callable);
      return `${fn.name}(${fn.parameters.map((parameter) => this.#expression(scope, parameter, depth - 1)).join(", ")})`;
    }
    if (this.#random.chance(0.08)) {
      const [then, otherwise] = [
        this.#expression(scope, type, depth - 1),
        this.#expression(scope, type, depth - 1),
      ];
      return `(${then} if ${this.#expression(scope, "bool", depth - 1)} else ${otherwise})`;
    }
    const sub = (kind: Type): string => this.#expression(scope, kind, depth - 1);
    switch (type) {
      case "int":
        return this.#int(sub);
      case "float":
        return this.#float(sub);
      case "str":
        return this.#text(sub);
      case "bool":
        return this.#bool(sub);
      case "list":
        return this.#list(scope, sub, depth);
      case "dict":
        return this.#dict(scope, sub, depth);
      default:
        return this.#tuple(sub);
    }
  }

  #int(sub: (type: Type) => string): string {
    return this.#random.pick([
      () =>
        `(${sub("int")} ${this.#random.pick(["+", "-", "*", "//", "%", "&", "|", "^"])} ${sub("int")})`,
      () => `(${sub("int")} ${this.#random.pick(["<<", ">>"])} ${this.#random.below(70)})`,
      () => `-${sub("int")}`,
      () => `~${sub("int")}`,
      () => `len(${sub(this.#random.pick(["str", "list", "dict", "tuple"]))})`,
      () => `int(${sub(this.#random.pick(["float", "bool", "int"]))})`,
      () =>
        `${sub("str")}.${this.#random.pick(["find", "rfind", "count", "index"])}(${sub("str")})`,
      () => `${this.#random.pick(["min", "max"])}(${sub("int")}, ${sub("int")})`,
      () => `hash(${sub("str")})`,
      () => `(${sub("int")} and ${sub("int")})`,
      () => `${sub("list")}[${this.#random.below(4) - 1}]`,
      () => `${sub("dict")}.get(${this.#key(undefined)}, ${sub("int")})`,
    ])();
  }

  #float(sub: (type: Type) => string): string {
    return this.#random.pick([
      () =>
        `(${sub("float")} ${this.#random.pick(["+", "-", "*", "/", "//", "%"])} ${sub("float")})`,
      () => `(${sub("int")} / ${sub("int")})`,
      () => `(${sub("int")} ${this.#random.pick(["+", "*", "-"])} ${sub("float")})`,
      () => `float(${sub(this.#random.pick(["int", "bool"]))})`,
      () => `-${sub("float")}`,
    ])();
  }

  #text(sub: (type: Type) => string): string {
    return this.#random.pick([
      () => `(${sub("str")} + ${sub("str")})`,
      () => `(${sub("str")} * ${this.#random.below(4)})`,
      () => `str(${sub("any")})`,
      () => `repr(${sub("any")})`,
      () => `type(${sub("any")})`,
      () =>
        `${sub("str")}.${this.#random.pick(["upper", "lower", "title", "capitalize", "strip", "lstrip", "rstrip"])}()`,
      () => `${sub("str")}.replace(${sub("str")}, ${sub("str")})`,
      () => `${sub("str")}.strip(${sub("str")})`,
      () => `${sub("str")}.join([${sub("str")}, ${sub("str")}])`,
      () => `("%s|%r|%d" % (${sub("any")}, ${sub("any")}, ${sub("int")}))`,
      () =>
        `("%x %o %X %e %f %g" % (${sub("int")}, ${sub("int")}, ${sub("int")}, ${sub("float")}, 1.5, ${sub("float")}))`,
      () => `"{} {x} {!r}".format(${sub("any")}, ${sub("any")}, x=${sub("any")})`,
      () => `${sub("str")}[${randomSlice(this.#random)}]`,
      () => `${sub("str")}[${this.#random.below(5) - 2}]`,
      () => `chr(${65 + this.#random.below(1000)})`,
      () => `json.encode(${sub("any")})`,
      () => `(${sub("str")} or ${sub("str")})`,
    ])();
  }

  #bool(sub: (type: Type) => string): string {
    const type = this.#random.pick(types);
    return this.#random.pick([
      () => `(${sub(type)} ${this.#random.pick(["==", "!="])} ${sub("any")})`,
      () =>
        `(${sub("int")} ${this.#random.pick(["<", "<=", ">", ">="])} ${sub(this.#random.pick(["int", "float"]))})`,
      () => `(${sub("str")} ${this.#random.pick(["<", "in", "not in", ">="])} ${sub("str")})`,
      () => `(${sub("tuple")} < ${sub("tuple")})`,
      () =>
        `(${sub("any")} ${this.#random.pick(["in", "not in"])} ${sub(this.#random.pick(["list", "dict", "tuple"]))})`,
      () => `(not ${sub("any")})`,
      () => `bool(${sub("any")})`,
      () => `${this.#random.pick(["any", "all"])}(${sub("list")})`,
      () =>
        `${sub("str")}.${this.#random.pick(["isupper", "islower", "isalpha", "isdigit", "isspace", "istitle", "isalnum"])}()`,
      () => `${sub("str")}.${this.#random.pick(["startswith", "endswith"])}(${sub("str")})`,
      () => `(${sub("bool")} and ${sub("bool")})`,
    ])();
  }

  #list(scope: Scope, sub: (type: Type) => string, depth: number): string {
    const variable = this.#fresh("c");
    const inner: Scope = {
      ...scope,
      variables: [...scope.variables, { name: variable, type: "int" }],
    };
    const element = (): string => this.#expression(inner, "any", depth - 1);
    return this.#random.pick([
      () => `[${sub("any")}, ${sub("any")}]`,
      () =>
        `[${element()} for ${variable} in ${this.#random.pick(["range(4)", sub("list"), sub("tuple")])}]`,
      () =>
        `[${element()} for ${variable} in ${sub("list")} if ${this.#expression(inner, "bool", depth - 1)}]`,
      () => `(${sub("list")} + ${sub("list")})`,
      () => `(${sub("list")} * ${this.#random.below(3)})`,
      () => `list(${sub(this.#random.pick(["list", "dict", "tuple"]))})`,
      () =>
        `sorted([${sub("int")}, ${sub("int")}, ${sub("int")}]${this.#random.pick(["", ", reverse=True"])})`,
      () => `sorted(${sub("list")}, key=lambda ${variable}: ${this.#expression(inner, "int", 1)})`,
      () => `sorted(${sub("list")}, key=${this.#random.pick(["str", "repr", "type"])})`,
      () => `reversed(${sub("list")})`,
      () => `${sub("str")}.split(${sub("str")})`,
      () => `${sub("str")}.${this.#random.pick(["split", "splitlines", "rsplit"])}()`,
      () => `list(${sub("str")}.elems())`,
      () => `${sub("dict")}.${this.#random.pick(["keys", "values", "items"])}()`,
      () => `${sub("list")}[${randomSlice(this.#random)}]`,
      () => `zip(${sub("list")}, ${sub("tuple")})`,
      () => `list(range(${this.#random.below(5)}))`,
    ])();
  }

  #dict(scope: Scope, sub: (type: Type) => string, depth: number): string {
    const variable = this.#fresh("c");
    const inner: Scope = {
      ...scope,
      variables: [...scope.variables, { name: variable, type: "int" }],
    };
    return this.#random.pick([
      () => `{${this.#key(scope)}: ${sub("any")}, ${this.#key(scope)}: ${sub("any")}}`,
      () =>
        `{${variable}: ${this.#expression(inner, "any", depth - 1)} for ${variable} in range(${this.#random.below(4)})}`,
      () => `dict([(${this.#key(scope)}, ${sub("any")})], a=${sub("any")})`,
      () => `dict(${sub("dict")})`,
      () => `dict(x=${sub("any")}, y=${sub("any")})`,
    ])();
  }

  #tuple(sub: (type: Type) => string): string {
    return this.#random.pick([
      () => `(${sub("any")}, ${sub("any")})`,
      () => `(${sub("any")},)`,
      () => `tuple(${sub("list")})`,
      () => `(${sub("tuple")} + ${sub("tuple")})`,
      () => `${sub("tuple")}[${randomSlice(this.#random)}]`,
      () => `${sub("str")}.${this.#random.pick(["partition", "rpartition"])}(${sub("str")})`,
    ])();
  }

  #key(scope: Scope | undefined): string {
    const text =
      scope === undefined
        ? undefined
        : this.#variable(scope, this.#random.pick(["str", "int", "float"]));
    return (
      text ?? this.#random.pick(['"a"', '"b"', "1", "2", "1.0", "(1, 2)", "True", "None", '"é"'])
    );
  }
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
