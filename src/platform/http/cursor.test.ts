import { expect, test } from "vitest";
import { defineCursor, defineNumberCursor, idCursor } from "./cursor.ts";

const numberCursor = defineNumberCursor("version");
const encode = (text: string) => Buffer.from(text).toString("base64url");
const refused = expect.objectContaining({ status: 400 });

test("without a cursor a list starts at its first position", () => {
  expect(numberCursor.read({}, null)).toBeNull();
  expect(idCursor.read({ cursor: undefined }, "~")).toBe("~");
});

test("a cursor encodes its position, and decodes to it again", () => {
  const id = `usr_${"0".repeat(26)}`;
  expect(idCursor.write(id)).toBe(encode(id));
  expect(idCursor.read({ cursor: idCursor.write(id) }, "~")).toBe(id);
  expect(numberCursor.read({ cursor: numberCursor.write(7) }, null)).toBe(7);
});

test("a text that is not a cursor of the list is refused with 400", () => {
  for (const cursor of ["", "?", encode("usr_1"), encode("DROP")])
    expect(() => idCursor.read({ cursor }, "~"), cursor).toThrow(refused);
  for (const text of ["0", "-1", "1.5", "0x10", " 7", "one", "", String(2 ** 31)])
    expect(() => numberCursor.read({ cursor: encode(`version ${text}`) }, null), text).toThrow(refused);
});

test("an exact cursor accepts only the text that it writes", () => {
  const exact = defineCursor<string>({ write: (text) => text, read: (text) => text, exact: true });
  expect(exact.read({ cursor: encode("a") }, "")).toBe("a");
  expect(() => exact.read({ cursor: `${encode("a")}=` }, "")).toThrow();
});

test("the cursor of a list of other numbers is refused with 400", () => {
  for (const cursor of [defineNumberCursor("revision").write(7), encode("7"), encode("version7")])
    expect(() => numberCursor.read({ cursor }, null), cursor).toThrow(refused);
});
