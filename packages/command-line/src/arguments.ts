import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** The arguments of a command are invalid. */
export class UsageError extends Error {}

/** The caller asked for help. The message is the help text. */
export class HelpRequested extends Error {}

const common = { help: { type: "boolean", short: "h" } } as const;

interface Syntax<Options extends ParseArgsOptionsConfig> {
  help: string;
  options?: Options;
  /** The maximum number of positional arguments. */
  words?: number;
}

/** Parses the arguments of a command. Every command has `--help`. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  { help, options, words = 0 }: Syntax<Options>,
) {
  const { values, positionals } = parse(args, { ...common, ...(options as Options) });
  if ((values as { help?: boolean }).help) throw new HelpRequested(help);
  if (positionals.length > words)
    throw new UsageError(`"${positionals[words]}" is unexpected: there are too many arguments.`);
  return { values, words: positionals };
}

function parse<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node adds advice about dashes; only its first sentence is kept.
    throw new UsageError(`${(error as Error).message.split(/\. |\n/)[0]!.replace(/\.$/, "")}.`);
  }
}
