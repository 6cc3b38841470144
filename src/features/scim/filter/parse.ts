import { invalidFilter } from "../errors.ts";
import { readTokens, type Token } from "./tokens.ts";

export const comparisons = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Comparison = (typeof comparisons)[number];
export type FilterValue = string | number | boolean | null;

/** A filter as it was written. Names are not checked yet. */
export type Filter =
  | { op: "and" | "or"; filters: Filter[] }
  | { op: "not"; filter: Filter }
  | { op: "pr"; path: string }
  | { op: Comparison; path: string; value: FilterValue }
  /** One value of the attribute satisfies the whole filter. */
  | { op: "[]"; path: string; filter: Filter };

/** The path of a PATCH operation: `attribute`, `attribute.sub`, `attribute[filter]`, `attribute[filter].sub`. */
export interface Path {
  name: string;
  filter?: Filter;
  sub?: string;
}

const maxDepth = 30;
const maxConditions = 100;

const isComparison = (word: string): word is Comparison => (comparisons as readonly string[]).includes(word);
const describe = ({ text, at }: Token) =>
  text === "" ? "at the end" : `"${text.slice(0, 100)}" at character ${at + 1}`;

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #conditions = 0;

  constructor(text: string) {
    this.#tokens = readTokens(text);
  }

  #peek = () => this.#tokens[this.#at]!;
  #next = () => this.#tokens[this.#at++]!;
  /** Reads the next token if it is this word, in any case. */
  #takes(word: string): boolean {
    const token = this.#peek();
    if (token.is !== "word" || token.text.toLowerCase() !== word) return false;
    this.#at++;
    return true;
  }
  #expect(text: ")" | "]"): void {
    const token = this.#next();
    if (token.is !== "bracket" || token.text !== text)
      throw invalidFilter(`The filter needs "${text}" and has none ${describe(token)}.`);
  }

  end(): void {
    const token = this.#peek();
    if (token.is !== "end") throw invalidFilter(`The filter cannot go on with ${describe(token)}.`);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw invalidFilter(`A filter has at most ${maxDepth} levels.`);
    const result = read();
    this.#depth--;
    return result;
  }

  filter(inside = false): Filter {
    return this.#list("or", () => this.#list("and", () => this.#unary(inside)));
  }

  #list(op: "and" | "or", read: () => Filter): Filter {
    const filters = [read()];
    while (this.#takes(op)) filters.push(read());
    return filters.length === 1 ? filters[0]! : { op, filters };
  }

  #unary(inside: boolean): Filter {
    if (this.#takes("not")) return { op: "not", filter: this.#nested(() => this.#unary(inside)) };
    const token = this.#peek();
    if (token.is !== "bracket" || token.text !== "(") return this.#condition(inside);
    this.#at++;
    const filter = this.#nested(() => this.filter(inside));
    this.#expect(")");
    return filter;
  }

  #condition(inside: boolean): Filter {
    const path = this.#name();
    if (++this.#conditions > maxConditions)
      throw invalidFilter(`A filter has at most ${maxConditions} conditions.`);
    const filter = this.#brackets(inside);
    if (!filter) return this.#comparison(path);
    const sub = this.#sub();
    if (sub === undefined) return { op: "[]", path, filter };
    return { op: "[]", path, filter: { op: "and", filters: [filter, this.#comparison(sub)] } };
  }

  #comparison(path: string): Filter {
    const token = this.#next();
    const op = token.text.toLowerCase();
    if (token.is === "word" && op === "pr") return { op, path };
    if (token.is !== "word" || !isComparison(op))
      throw invalidFilter(
        `After "${path}" one of pr, ${comparisons.join(", ")} is needed, not ${describe(token)}.`,
      );
    const value = this.#next();
    if (value.is !== "value")
      throw invalidFilter(
        `"${path} ${op}" needs a value: text in quotation marks, a number, true, false or null.`,
      );
    return { op, path, value: value.value };
  }

  #name(): string {
    const token = this.#next();
    if (token.is !== "word" || token.text.startsWith("."))
      throw invalidFilter(`The filter needs the name of an attribute, not ${describe(token)}.`);
    return token.text;
  }

  #brackets(inside: boolean): Filter | undefined {
    const token = this.#peek();
    if (token.is !== "bracket" || token.text !== "[") return undefined;
    if (inside) throw invalidFilter(`The filter has brackets inside brackets at character ${token.at + 1}.`);
    this.#at++;
    const filter = this.#nested(() => this.filter(true));
    this.#expect("]");
    return filter;
  }

  /** The sub-attribute directly after a closing bracket. */
  #sub(): string | undefined {
    const token = this.#peek();
    const before = this.#tokens[this.#at - 1]!;
    if (token.is !== "word" || !token.text.startsWith(".") || token.at !== before.at + 1) return undefined;
    this.#at++;
    return token.text.slice(1);
  }

  path(): Path {
    const name = this.#name();
    const filter = this.#brackets(false);
    const sub = filter && this.#sub();
    return { name, ...(filter ? { filter } : {}), ...(sub === undefined ? {} : { sub }) };
  }
}

export function parseFilter(text: string): Filter {
  const parser = new Parser(text);
  const filter = parser.filter();
  parser.end();
  return filter;
}

export function parsePath(text: string): Path {
  const parser = new Parser(text);
  const path = parser.path();
  parser.end();
  return path;
}
