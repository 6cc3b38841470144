import type { Node } from "typescript/unstable/ast";
import type { Symbol as TsSymbol } from "typescript/unstable/sync";

/** What an expression can be, as far as the text of a statement depends on it. */
export type Value =
  | { is: "sql"; parts: readonly Value[] }
  | { is: "text"; text: string }
  | { is: "parameter" }
  | { is: "absent" }
  | { is: "list"; items: readonly Value[] }
  | { is: "joined"; items: readonly Value[]; separator: string }
  | { is: "object"; properties: ReadonlyMap<string, Value> }
  | { is: "function"; node: Node; bindings: Bindings }
  | { is: "choice"; key: string; options: readonly Value[] };

/** Values of parameters, by the id of their symbol. */
export type Bindings = ReadonlyMap<TsSymbol["id"], Value>;

export const parameter: Value = { is: "parameter" };
export const absent: Value = { is: "absent" };
export const textValue = (text: string): Value => ({ is: "text", text });
export const choice = (key: string, options: readonly Value[]): Value =>
  options.length === 1 ? options[0]! : { is: "choice", key, options };

/** Applies `change` to each value that a choice can have. */
export const mapValue = (value: Value, change: (one: Value) => Value): Value =>
  value.is === "choice"
    ? { ...value, options: value.options.map((option) => mapValue(option, change)) }
    : change(value);

/** The value where the compiler knows that it is there. */
export function withoutAbsent(value: Value): Value {
  if (value.is !== "choice") return value;
  const options = value.options.map(withoutAbsent).filter(({ is }) => is !== "absent");
  return options.length === 0 ? absent : { ...value, options };
}

export class NotAnalysable extends Error {}

/** Which option of each choice is in a text, by the key of the choice. */
type Decisions = ReadonlyMap<string, number>;

/**
 * Writes the texts that a statement can have. Every option of every choice is in at least one of them; equal conditions
 * are decided alike within one text.
 */
export function writeTexts(statement: Value): string[] {
  const defaults = new Map<string, number>();
  const all: Decisions[] = [new Map()];
  const visit = (value: Value, path: Decisions): void => {
    if (value.is === "sql") for (const part of value.parts) visit(part, path);
    if (value.is === "joined") for (const item of value.items) visit(item, path);
    if (value.is !== "choice") return;
    const { key, options } = value;
    // What is there comes first, so that a list of conditions is not empty.
    if (!defaults.has(key) || isAbsent(options[defaults.get(key)!])) defaults.set(key, findPresent(options));
    const decided = path.get(key);
    options.forEach((option, i) => {
      if (decided !== undefined && decided !== i) return;
      const longer = new Map(path).set(key, i);
      if (decided === undefined) all.push(longer);
      visit(option, longer);
    });
  };
  visit(statement, new Map());
  const texts = all.map((decisions) => writeText(statement, new Map([...defaults, ...decisions])));
  return [...new Set(texts)];
}

const isAbsent = (value: Value | undefined) => value?.is === "absent";
const findPresent = (options: readonly Value[]) =>
  Math.max(
    0,
    options.findIndex((option) => !isAbsent(option)),
  );

function writeText(statement: Value, decisions: Decisions): string {
  let parameters = 0;
  const decide = (value: Value): Value =>
    value.is === "choice" ? decide(value.options[decisions.get(value.key)!] ?? value.options[0]!) : value;
  const write = (given: Value): string => {
    const value = decide(given);
    if (value.is === "sql") return value.parts.map(write).join("");
    if (value.is === "text") return value.text;
    if (value.is === "parameter") return `$${++parameters}`;
    if (value.is === "joined") {
      const there = value.items.filter((item) => !isAbsent(decide(item)));
      // The program joins a list of conditions only where it is not empty.
      const items = there.length > 0 ? there : value.items.slice(0, 1).map(choosePresent);
      return items.map(write).join(value.separator);
    }
    throw new NotAnalysable(`a value of the kind "${value.is}" is a part of the statement`);
  };
  return write(statement);
}

const choosePresent = (value: Value): Value =>
  value.is === "choice" ? choosePresent(value.options[findPresent(value.options)]!) : value;

/** A value of the program at run time. */
export function toValue(value: unknown): Value {
  if (value === undefined || value === null) return absent;
  if (typeof value === "string") return textValue(value);
  if (typeof value !== "object") return parameter;
  return {
    is: "object",
    properties: new Map(Object.entries(value).map(([name, one]) => [name, toValue(one)])),
  };
}
