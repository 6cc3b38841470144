import { readFileSync } from "node:fs";
import { OperatorError } from "../../platform/errors.ts";

/** Reads a file as text; `-` reads stdin. */
export function readInput(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}
