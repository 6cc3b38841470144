import { createCipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

/** Seals a value in the first format, which is bound to neither an organization nor an address. */
export function sealFirstFormat(
  secret: string,
  plain: string,
  { table, row, column }: { table: string; row: string; column: string },
): string {
  const bytes = Buffer.from(hkdfSync("sha256", secret, "", "signalbox sealing v1", 32));
  const id = createHash("sha256").update("key id").update(bytes).digest("hex").slice(0, 8);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce).setAAD(
    Buffer.from(JSON.stringify([table, row, column])),
  );
  const body = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1.${id}.${body.toString("base64url")}`;
}
