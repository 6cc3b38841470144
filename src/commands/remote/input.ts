import { readFileSync } from "node:fs";
import { OperatorError } from "../../platform/errors.ts";

/** The text of a file; `-` is stdin. */
export function readInput(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}
