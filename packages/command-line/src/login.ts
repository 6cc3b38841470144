import { readFileSync, statSync } from "node:fs";
import { UsageError } from "./arguments.ts";
import { exit, OperatorError } from "./errors.ts";
import { defaultProfile, readProfiles } from "./profiles.ts";

export const defaultUrl = "http://127.0.0.1:8787";

/** There is no stored login, or none for this server. */
export class NotSignedIn extends OperatorError {
  override readonly exitCode = exit.refused;
}

export interface LoginFlags {
  url?: string | undefined;
  key?: string | undefined;
  "key-file"?: string | undefined;
  profile?: string | undefined;
}

export interface Login {
  url: string;
  key: string;
  /** The source of the key, as text for a person. */
  source: string;
  /** A warning about where the key is stored. */
  warning?: string;
}

type Environment = Readonly<NodeJS.ProcessEnv>;

export const profileName = (flag: string | undefined, environment: Environment): string => {
  const name = flag ?? (environment.SIGNALBOX_PROFILE || defaultProfile);
  if (!/^[\w.-]{1,60}$/.test(name) || name === "__proto__") {
    throw new UsageError("A profile's name has 1 to 60 letters, digits, dots, dashes and underscores.");
  }
  return name;
};

/**
 * Finds the server and the key. Flags override the environment; the environment overrides the stored login.
 * A stored key is only ever sent to the server it was stored for.
 */
export function findLogin(flags: LoginFlags, environment: Environment): Login {
  // A profile named on the command line is a flag like any other.
  const env: Environment = flags.profile === undefined ? environment : {};
  const name = profileName(flags.profile, environment);
  const given = findGivenKey(flags, env);
  const explicitUrl = flags.url ?? (env.SIGNALBOX_URL || undefined);
  // The file is not read where it is not needed: a damaged one must not stop what does not use it.
  const stored =
    given && explicitUrl
      ? undefined
      : Object.entries(readProfiles(environment)).find(([one]) => one === name)?.[1];
  if (flags.profile !== undefined && !stored && !given) throw new NotSignedIn(notSignedIn(name));
  const url = parseUrl(explicitUrl ?? stored?.url ?? defaultUrl);
  if (given) return { url, ...given };
  if (!stored) throw new NotSignedIn(notSignedIn(name));
  if (stored.url !== url) {
    throw new NotSignedIn(
      `You are signed in to ${stored.url}, not to ${url}. Run \`signalbox login --url ${url}\`, perhaps with a --profile of its own.`,
    );
  }
  return { url, key: checkKey(stored.key), source: `profile ${name}` };
}

const notSignedIn = (name: string) =>
  name === defaultProfile
    ? "You are not signed in. Run `signalbox login`, or set SIGNALBOX_API_KEY."
    : `There is no profile ${name}. Run \`signalbox login --profile ${name}\`.`;

type GivenKey = Omit<Login, "url">;

/** A key file overrides a key in the environment, which child processes can read. */
function findGivenKey(flags: LoginFlags, env: Environment): GivenKey | undefined {
  if (flags.key !== undefined) return { key: checkKey(flags.key), source: "--key" };
  if (flags["key-file"] !== undefined) return readConfiguredKeyFile(flags["key-file"], "--key-file");
  if (env.SIGNALBOX_API_KEY_FILE)
    return readConfiguredKeyFile(env.SIGNALBOX_API_KEY_FILE, "SIGNALBOX_API_KEY_FILE");
  if (env.SIGNALBOX_API_KEY) return { key: checkKey(env.SIGNALBOX_API_KEY), source: "SIGNALBOX_API_KEY" };
  return undefined;
}

function readConfiguredKeyFile(file: string, source: string): GivenKey {
  const key = checkKey(readKeyFile(file, source));
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || (found.mode & 0o004) === 0) return { key, source };
  return {
    key,
    source,
    warning: `Other users of this machine can read ${file}. Close it to them: chmod 600 ${file}`,
  };
}

export function checkKey(key: string): string {
  if (!/^sbx_[\x21-\x7e]{1,200}$/.test(key)) {
    throw new UsageError("That is not an API key of Signalbox: API keys begin with sbx_.");
  }
  return key;
}

export function readKeyFile(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new OperatorError(`The API key cannot be read: ${(error as Error).message}. Check ${name}.`);
  }
}

export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search || url.username) {
    throw new UsageError("The URL must be the origin of a server, such as https://signalbox.example.com.");
  }
  return url.origin;
}
