import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** The arguments of a command are invalid. */
export class UsageError extends Error {}

/** Somebody asked for help; this is it. */
export class HelpWanted extends Error {}

const common = { help: { type: "boolean", short: "h" } } as const;

interface Syntax<Options extends ParseArgsOptionsConfig> {
  help: string;
  options?: Options;
  /** How many words beside the options it takes at most. */
  words?: number;
}

/** The options of a command. Every command has `--help`. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  { help, options, words = 0 }: Syntax<Options>,
) {
  const { values, positionals } = parse(args, { ...common, ...(options as Options) });
  if ((values as { help?: boolean }).help) throw new HelpWanted(help);
  if (positionals.length > words) throw new UsageError(`"${positionals[words]}" is one word too many.`);
  return { values, words: positionals };
}

function parse<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    // The library's own advice goes on about dashes; its first sentence is what matters.
    throw new UsageError(`${(error as Error).message.split(/\. |\n/)[0]!.replace(/\.$/, "")}.`);
  }
}
