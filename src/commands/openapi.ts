import { readFileSync, writeFileSync } from "node:fs";
import { OperatorError } from "../platform/errors.ts";
import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox openapi [--out FILE | --check FILE]

Prints the description of the API, OpenAPI 3.1, as JSON. The running service has the same at /openapi.json.

Options:
  --out FILE     writes it to the file instead
  --check FILE   ends with 1 when the file is not what would be written now

Examples:
  signalbox openapi > openapi.json
  signalbox openapi --check openapi.json
`;

export async function openapi(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, {
    help,
    options: { out: { type: "string" }, check: { type: "string" } },
  });
  const { api } = await import("../app.ts");
  const text = JSON.stringify(api(), null, 2);
  if (values.check !== undefined) {
    if (read(values.check) === `${text}\n`) return exit.ok;
    io.err(`${values.check} is stale. Write it anew with \`signalbox openapi --out ${values.check}\`.`);
    return exit.failed;
  }
  if (values.out === undefined) io.out(text);
  else writeFileSync(values.out, `${text}\n`);
  return exit.ok;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new OperatorError(`${file} cannot be read (${(error as Error).message}).`, { cause: error });
  }
}
