import { createClient, RefusedError } from "@signalbox/client";
import { NotSignedIn, profileName, readProfiles, writeProfiles } from "@signalbox/command-line";
import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { connectCommand, userAgent } from "./remote/session.ts";

const help = `
Usage: signalbox logout [--profile NAME] [--local]

Forgets a stored login. An API key that \`signalbox login --email\` made is ended at the server as well; a
key that you typed in stays valid, since other programs may use it.

Options:
  --profile NAME   which login, or SIGNALBOX_PROFILE (default)
  --local          forget it here only, also when the server cannot be reached

Exit codes: 0 signed out, 1 failed, 2 invalid usage, 4 nobody was signed in

Examples:
  signalbox logout
  signalbox logout --profile staging --local
`;

const options = { profile: { type: "string" }, local: { type: "boolean", default: false } } as const;

export const logout = connectCommand(async (args: string[], io: Io): Promise<number> => {
  const { values } = readArguments(args, { help, options });
  const name = profileName(values.profile, io.environment);
  const profiles = readProfiles(io.environment);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile) throw new NotSignedIn("You are not signed in, so there is no stored key to remove.");
  const isEnded = values.local || profile.keyId === undefined || (await endKey(profile, profile.keyId));
  // Read again: another command may have changed the file meanwhile.
  const { [name]: current, ...others } = readProfiles(io.environment);
  // A login that replaced it meanwhile stays.
  if (current?.key === profile.key) writeProfiles(io.environment, others);
  io.out(`Signed out of ${profile.url}.`);
  if (!isEnded)
    io.err("This API key may not revoke keys. An owner or admin can revoke it: DELETE /v1/api-keys/{id}.");
  else if (values.local && profile.keyId)
    io.err(`The API key ${profile.keyId} is still valid at the server.`);
  return exit.ok;
});

/** Returns false when the key may not revoke itself. */
async function endKey({ url, key }: { url: string; key: string }, keyId: string): Promise<boolean> {
  const client = createClient({ url, credential: { apiKey: key }, userAgent });
  try {
    await client.apiKeys.remove(keyId);
    return true;
  } catch (error) {
    // 401 and 404 mean that the key was already revoked.
    if (error instanceof RefusedError && [401, 403, 404].includes(error.status)) return error.status !== 403;
    throw error;
  }
}
