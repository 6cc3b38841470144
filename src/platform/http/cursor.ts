import { invalidField } from "../errors.ts";

/** Encodes the position after the last item of a page. Callers treat the text as opaque. */
export interface Cursor<Position> {
  write(position: Position): string;
  /** Returns `first` when there is no cursor. Throws a 400 when the cursor is not one of this list. */
  read<First>(query: { cursor?: string | undefined }, first: First): Position | First;
}

export interface CursorFormat<Position> {
  write(position: Position): string;
  /** Returns undefined when the text was not written by `write`. */
  read(text: string): Position | undefined;
  /** Accepts only the exact text that `write` gives. */
  exact?: boolean;
  message?: string;
}

const encode = (text: string) => Buffer.from(text).toString("base64url");

export const defineCursor = <Position>({
  write,
  read,
  exact = false,
  message = "This is not a cursor of ours. Start without one.",
}: CursorFormat<Position>): Cursor<Position> => ({
  write: (position) => encode(write(position)),
  read({ cursor }, first) {
    if (cursor === undefined) return first;
    const text = Buffer.from(cursor, "base64url").toString("utf8");
    const position = exact && encode(text) !== cursor ? undefined : read(text);
    if (position === undefined) throw invalidField(["cursor"], message);
    return position;
  },
});

/** For lists that are sorted by id. */
export const idCursor = defineCursor<string>({
  write: (id) => id,
  read: (text) => (/^[a-z]+_[0-9a-z]{26}$/.test(text) ? text : undefined),
});

/** For lists that are sorted by a number from 1, such as versions. The cursor of a list with another name is refused. */
export const defineNumberCursor = (name: string) =>
  defineCursor<number>({
    write: (number) => `${name} ${number}`,
    read(text) {
      const number = text.startsWith(`${name} `) ? text.slice(name.length + 1) : "";
      return /^[1-9]\d{0,9}$/.test(number) && Number(number) < 2 ** 31 ? Number(number) : undefined;
    },
  });
