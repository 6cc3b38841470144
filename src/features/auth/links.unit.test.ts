import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createKeyring } from "../../platform/keyring.ts";
import { createVerificationToken, readVerificationToken } from "./links.ts";

const keyring = createKeyring("a secret for the tests, long enough");
const day = 24 * 3600 * 1000;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const signed = (header: object, payload: object) => {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac("sha256", keyring.derive("auth")).update(text).digest("base64url")}`;
};
const exp = Math.floor(Date.now() / 1000) + 60;

describe("a verification token", () => {
  test("is valid for its address for one day", () => {
    const token = createVerificationToken(keyring, "ada@example.com");
    expect(readVerificationToken(keyring, token)).toBe("ada@example.com");
    expect(readVerificationToken(keyring, token, Date.now() + day - 2_000)).toBe("ada@example.com");
    expect(readVerificationToken(keyring, token, Date.now() + day + 1_000)).toBeUndefined();
  });

  test("of another instance is refused", () => {
    const token = createVerificationToken(
      createKeyring("another secret, also long enough"),
      "ada@example.com",
    );
    expect(readVerificationToken(keyring, token)).toBeUndefined();
  });

  test("with any changed character is refused", () => {
    const token = createVerificationToken(keyring, "ada@example.com");
    for (let at = 0; at < token.length; at++) {
      const letter = token[at] === "A" ? "B" : "A";
      // The last letter carries bits that are not part of the signature; the text is compared as it is written.
      const changed = token.slice(0, at) + letter + token.slice(at + 1);
      expect(readVerificationToken(keyring, changed), changed).toBeUndefined();
    }
  });

  test.each([
    ["", "no token"],
    ["a.b", "two parts"],
    ["a.b.c.d", "four parts"],
    [signed({ alg: "none" }, { email: "ada@example.com", exp }), "another algorithm"],
    [signed({ alg: "HS256" }, { email: "ada@example.com" }), "no end"],
    [signed({ alg: "HS256" }, { exp }), "no address"],
  ])("%s is refused: %s", (token) => {
    expect(readVerificationToken(keyring, token)).toBeUndefined();
  });

  test("of an earlier version, with additional claims, is accepted", () => {
    const token = signed(
      { alg: "HS256" },
      { email: "ada@example.com", iat: exp - 120, exp, updateTo: undefined },
    );
    expect(readVerificationToken(keyring, token)).toBe("ada@example.com");
  });
});
