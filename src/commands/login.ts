import { hostname } from "node:os";
import { createClient, type Me } from "@signalbox/client";
import {
  checkKey,
  cleanText,
  defaultUrl,
  type Profile,
  parseUrl,
  profileName,
  profilesFile,
  readKeyFile,
  readProfiles,
  writeProfiles,
} from "@signalbox/command-line";
import { OperatorError } from "../platform/errors.ts";
import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { openPrompt, type Prompt } from "./remote/prompt.ts";
import { connectCommand, userAgent } from "./remote/session.ts";
import { signIn } from "./remote/sign-in.ts";

const help = `
Usage: signalbox login [--url URL] [--key-file FILE | --email ADDRESS] [--profile NAME]

Signs in to a server, for the commands that need one. Asks for an API key, checks it and stores it in a
file that only you can read. With --email it asks for your password (and a code, where a second factor is
on) and makes an API key of its own, named after this machine; the password is not stored.
If stdin is a pipe, the key, the password and the code are read from it, one per line.

Options:
  --url URL            the server, or SIGNALBOX_URL (${defaultUrl})
  --key-file FILE      read the API key from a file
  --email ADDRESS      sign in with a password instead of an API key
  --organization ID    with --email, where you belong to several organizations
  --profile NAME       store it under this name, to use with --profile (default)

Stored in: $XDG_CONFIG_HOME/signalbox/logins.json (~/.config/signalbox/logins.json)
Exit codes: 0 signed in, 1 failed, 2 invalid usage, 4 the server did not accept it

Examples:
  signalbox login
  signalbox login --url https://signalbox.example.com --email ada@example.com
  signalbox login --profile staging --key-file ~/staging.key < /dev/null
`;

const options = {
  url: { type: "string" },
  "key-file": { type: "string" },
  email: { type: "string" },
  organization: { type: "string" },
  profile: { type: "string" },
} as const;

export const login = connectCommand(async (args: string[], io: Io): Promise<number> => {
  const { values } = readArguments(args, { help, options });
  const { environment } = io;
  const name = profileName(values.profile, environment);
  const find = (profiles: ReturnType<typeof readProfiles>) =>
    Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const stored = find(readProfiles(environment));
  const url = parseUrl(values.url ?? (environment.SIGNALBOX_URL || stored?.url || defaultUrl));
  if (url.startsWith("http:") && !isLoopback(url)) {
    io.err(
      `${url} is not encrypted: others on the way can read what you send. Use https where there is one.`,
    );
  }
  const prompt = openPrompt(io.input);
  try {
    const made: Pick<Profile, "key" | "keyId"> =
      values.email === undefined
        ? { key: await askForKey(values["key-file"], url, prompt) }
        : await createKey(url, values.email, values.organization, prompt);
    const store = async (): Promise<[Profile, Me]> => {
      const me = await createClient({ url, credential: { apiKey: made.key }, userAgent }).me();
      const profile: Profile = { url, ...made, email: me.user.email, ...describeOrganization(me) };
      // Read again: another command may have changed the file while a person typed.
      const profiles = readProfiles(environment);
      const before = find(profiles);
      writeProfiles(environment, { ...profiles, [name]: profile });
      if (before?.keyId && before.url === url) await endKey(profile, before.keyId);
      return [profile, me];
    };
    const [profile, me] = await store().catch(async (error) => {
      // Nobody would know a key that was made and not stored.
      if (made.keyId) await endKey({ url, key: made.key }, made.keyId);
      throw error;
    });
    const where = profile.organization === undefined ? "" : ` in ${profile.organization}`;
    io.out(cleanText(`Signed in to ${url} as ${me.user.name} <${me.user.email}>${where}.`));
    io.err(`The API key is stored in ${profilesFile(environment)}.`);
    return exit.ok;
  } finally {
    prompt.close();
  }
});

const isLoopback = (url: string) => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

const describeOrganization = ({ organizations, activeOrganizationId }: Me): { organization?: string } => {
  const found = organizations.find(({ organizationId }) => organizationId === activeOrganizationId);
  return found ? { organization: found.organizationName } : {};
};

const askForKey = async (file: string | undefined, url: string, prompt: Prompt) =>
  checkKey(
    file === undefined
      ? await prompt.ask(`API key for ${url}: `, { hidden: true })
      : readKeyFile(file, "--key-file"),
  );

/** Signs in with a password, creates an API key, and ends the session. */
async function createKey(
  url: string,
  email: string,
  organizationId: string | undefined,
  prompt: Prompt,
): Promise<{ key: string; keyId: string }> {
  const token = await signIn(url, email, prompt);
  const client = createClient({ url, credential: { sessionToken: token }, userAgent });
  try {
    await chooseOrganization(client, organizationId);
    const { apiKey, key } = await client.apiKeys.create({
      name: `signalbox CLI on ${hostname()}`.slice(0, 120),
    });
    return { key, keyId: apiKey.id };
  } finally {
    await client.auth.signOut().catch(() => {});
  }
}

async function chooseOrganization(client: ReturnType<typeof createClient>, wanted: string | undefined) {
  const { organizations, activeOrganizationId } = await client.me();
  const chosen = wanted ?? activeOrganizationId ?? organizations[0]?.organizationId;
  if (chosen === undefined) {
    throw new OperatorError(
      "You belong to no organization yet. Create one (POST /v1/organizations), or accept an invitation; then sign in again.",
    );
  }
  if (wanted === undefined && activeOrganizationId === null && organizations.length > 1) {
    const list = organizations.map((one) => `${one.organizationId} (${cleanText(one.organizationName)})`);
    throw new OperatorError(
      `You belong to several organizations. Choose one with --organization: ${list.join(", ")}.`,
    );
  }
  if (chosen !== activeOrganizationId) await client.auth.switchOrganization(chosen);
}

/** Revokes a key that a login created. Errors are ignored: the key may already be gone. */
async function endKey({ url, key }: Pick<Profile, "url" | "key">, keyId: string): Promise<void> {
  const client = createClient({ url, credential: { apiKey: key }, userAgent });
  await client.apiKeys.remove(keyId).catch(() => {});
}
