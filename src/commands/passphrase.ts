import { readFileSync } from "node:fs";
import { OperatorError } from "../platform/errors.ts";
import { UsageError } from "./arguments.ts";
import type { Io } from "./io.ts";
import { openPrompt } from "./remote/prompt.ts";

/** The options of commands that write or read an encrypted file. */
export const passphraseOptions = {
  "key-file": { type: "string" },
  passphrase: { type: "boolean" },
} as const;

const minFileLength = 32;
const minLength = 12;

/** Returns what encrypts the file, or undefined when neither option was given. */
export async function readPassphrase(
  { "key-file": file, passphrase }: { "key-file"?: string | undefined; passphrase?: boolean | undefined },
  { isNew, input }: Pick<Io, "input"> & { isNew: boolean },
): Promise<string | undefined> {
  if (file !== undefined && passphrase) throw new UsageError("Use either --key-file or --passphrase.");
  if (file !== undefined) return readKeyFile(file);
  if (!passphrase) return undefined;
  const from = input ?? process.stdin;
  const prompt = openPrompt(from);
  try {
    const text = await prompt.ask("Passphrase: ", { hidden: true });
    if (!isNew) return text;
    if (text.length < minLength)
      throw new UsageError(`The passphrase must have at least ${minLength} characters.`);
    const isTyped = (from as { isTTY?: boolean }).isTTY === true;
    if (isTyped && (await prompt.ask("The same again: ", { hidden: true })) !== text)
      throw new UsageError("The two passphrases differ.");
    return text;
  } finally {
    prompt.close();
  }
}

function readKeyFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new OperatorError(
      `--key-file names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  if (text.length >= minFileLength) return text;
  throw new OperatorError(
    `--key-file names ${file}, which contains less than ${minFileLength} characters. Create a key with \`openssl rand -base64 32\`.`,
  );
}
