import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox demo [--json]

Fills an empty instance with a workspace to try: an organization, four people with roles, an API key.
Prints the key, the password and a curl that works. Refuses when somebody has signed up already.

Options:
  --json   as JSON

Example:
  DATA_DIR=/tmp/signalbox-demo signalbox demo
`;

export async function demo(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, { help, options: { json: { type: "boolean" } } });
  const { fillDemo } = await import("../app.ts");
  const platform = await io.platform();
  const workspace = await fillDemo(platform);
  const url = platform.config.publicUrl;
  if (values.json) {
    io.out(JSON.stringify({ url, ...workspace }));
    return exit.ok;
  }
  const { organization, people, password, key } = workspace;
  io.out(`${organization.name} (${organization.id}) is ready.`);
  io.out("");
  for (const { name, email, role } of people) io.out(`  ${role.padEnd(6)}  ${name.padEnd(14)}  ${email}`);
  io.out("");
  io.out(`Password of everybody: ${password}`);
  io.out(`API key of ${people[0]!.name}: ${key}`);
  io.out("");
  io.out(io.serving ? "Try it:" : "Start the service with `signalbox serve`, then try it:");
  io.out(`  curl -H 'x-api-key: ${key}' ${url}/v1/me`);
  return exit.ok;
}
