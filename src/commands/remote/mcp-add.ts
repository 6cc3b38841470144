import { type Body, type McpChoiceRequired, RefusedError } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { UsageError } from "../arguments.ts";
import { exit, type Io } from "../io.ts";
import { openPrompt } from "./prompt.ts";
import { openAction, type Session } from "./session.ts";

type NewConnection = Body<"POST /v1/mcp-connections">;

export const addOptionsHelp = `  --name NAME        add: its name; default: the host
  --shared           add, import: one credential for everybody, instead of an account per member
  --everybody        add: every member may use it; default: only you
  --registration R   add: none, client_metadata, dynamic, pre_registered or bearer; default: what discovery recommends
  --issuer URL       add: the authorization server, when the server names several
  --client-id ID     add: for pre_registered; asks for the secret with --with-secret
  --with-secret      add: asks for the secret of the client, or reads it from stdin
  --scopes A,B       add: other scopes than discovery recommends`;

const registrations = ["none", "client_metadata", "dynamic", "pre_registered", "bearer"] as const;
const isRegistration = (text: string): text is (typeof registrations)[number] =>
  registrations.some((one) => one === text);

const options = {
  name: { type: "string" },
  shared: { type: "boolean", default: false },
  everybody: { type: "boolean", default: false },
  registration: { type: "string" },
  issuer: { type: "string" },
  "client-id": { type: "string" },
  "with-secret": { type: "boolean", default: false },
  scopes: { type: "string" },
} as const;

export async function add(args: string[], io: Io, help: string): Promise<number> {
  const { word: url, values, session } = openAction(args, io, { help, what: "the server's URL", options });
  const { name, registration, issuer, scopes, "client-id": clientId } = values;
  if (registration !== undefined && !isRegistration(registration)) {
    throw new UsageError(`--registration must be one of: ${registrations.join(", ")}.`);
  }
  const body: NewConnection = {
    url,
    credential: values.shared ? "shared" : "per_member",
    ...(name === undefined ? {} : { name }),
    ...(registration === undefined ? {} : { registration }),
    ...(issuer === undefined ? {} : { authorizationServer: issuer }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(scopes === undefined ? {} : { scopes: scopes.split(",").map((one) => one.trim()) }),
    ...(values.everybody ? { access: { organization: true } } : {}),
  };
  const secret = await askSecret(io, registration, values["with-secret"]);
  return save(session, { ...body, ...secret });
}

/** Secrets are asked for, because other users of the machine can see arguments. */
async function askSecret(
  io: Io,
  registration: string | undefined,
  withSecret: boolean,
): Promise<Pick<NewConnection, "bearerToken" | "clientSecret">> {
  if (registration !== "bearer" && !withSecret) return {};
  const prompt = openPrompt(io.input);
  try {
    return registration === "bearer"
      ? { bearerToken: await prompt.ask("Token of the server: ", { hidden: true }) }
      : { clientSecret: await prompt.ask("Secret of the client: ", { hidden: true }) };
  } finally {
    prompt.close();
  }
}

async function save(session: Session, body: NewConnection): Promise<number> {
  try {
    const reply = await session.client.mcpConnections.create(body);
    const { id, name, status } = reply.connection;
    const next =
      status === "not_connected" ? ` Connect your account: signalbox mcp-connections connect ${id}` : "";
    session.showResult(reply, `${name} is saved as ${id} (${status}).${next}`);
    return exit.ok;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== "mcp_choice_required") throw error;
    session.io.err(cleanText(error.message));
    // The body of this error has this form by the contract of the route.
    const { choices } = error.body as McpChoiceRequired;
    for (const line of describeChoices(choices)) session.io.err(cleanText(line));
    return exit.failed;
  }
}

/** The choices as options of the command. */
function describeChoices({
  registrations: ways,
  authorizationServers,
}: McpChoiceRequired["choices"]): string[] {
  return [
    ...ways
      .filter(({ available }) => available)
      .map(({ registration, note }) => `  --registration ${registration}: ${note}`),
    ...(authorizationServers.length > 1 ? authorizationServers.map((issuer) => `  --issuer ${issuer}`) : []),
  ];
}
