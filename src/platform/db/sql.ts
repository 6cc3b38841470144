import { formatArray } from "./array-literal.ts";

/** A statement or a piece of one: text with numbered parameters, values beside it, never joined by hand. */
export class Sql {
  readonly strings: readonly string[];
  readonly params: readonly unknown[];
  constructor(strings: readonly string[], params: readonly unknown[]) {
    this.strings = strings;
    this.params = params;
  }
}

/** Plain SQL. A value becomes a parameter; another `sql` piece is spliced in with its own parameters. */
export function sql(strings: TemplateStringsArray, ...params: unknown[]): Sql {
  return new Sql(strings, params);
}

/** Text that the program itself wrote (an identifier from a fixed list). Never user input. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

export const emptySql = raw("");

export function join(pieces: readonly Sql[], separator: string): Sql {
  if (pieces.length === 0) return emptySql;
  const strings = ["", ...pieces.slice(1).map(() => separator), ""];
  return new Sql(strings, pieces);
}

/**
 * Builds a statement once. Each call of the result replaces its values and keeps its text, which then is not built and
 * hashed again: for statements that every request runs. `build` may only put its values into the text.
 */
export function reuseStatement<Values extends unknown[]>(
  build: (...values: Values) => Sql,
): (...values: Values) => Sql {
  const strings = [""];
  const params: unknown[] = [];
  const add = (text: string) => strings.push(`${strings.pop() ?? ""}${text}`);
  const append = (piece: Sql) => {
    piece.strings.forEach((text, i) => {
      add(text);
      if (i >= piece.params.length) return;
      const param = piece.params[i];
      if (param instanceof Sql) append(param);
      else {
        params.push(param);
        strings.push("");
      }
    });
  };
  const places = Array.from({ length: build.length }, (_, i) => new Place(i));
  append(build(...(places as unknown as Values)));
  return (...values) =>
    new Sql(
      strings,
      params.map((param) => (param instanceof Place ? values[param.index] : param)),
    );
}

/** Where a reused statement has one of its values. */
class Place {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

export interface Compiled {
  text: string;
  values: unknown[];
}

const toValue = (param: unknown) => (Array.isArray(param) ? formatArray(param) : param);

// Most statements have no spliced pieces; their text is the same each time, so it is built once.
const flatTexts = new WeakMap<readonly string[], string>();

export function compile(statement: Sql): Compiled {
  if (!statement.params.some((param) => param instanceof Sql)) {
    let text = flatTexts.get(statement.strings);
    if (text === undefined) {
      text = statement.strings.reduce((all, part, i) => (i === 0 ? part : `${all}$${i}${part}`), "");
      flatTexts.set(statement.strings, text);
    }
    return { text, values: statement.params.map(toValue) };
  }
  const values: unknown[] = [];
  const write = (piece: Sql): string =>
    piece.strings.reduce((all, part, i) => {
      if (i === 0) return part;
      const param = piece.params[i - 1];
      if (param instanceof Sql) return all + write(param) + part;
      values.push(toValue(param));
      return `${all}$${values.length}${part}`;
    }, "");
  return { text: write(statement), values };
}
