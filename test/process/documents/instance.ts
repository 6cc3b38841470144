import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Body } from "../../body.ts";
import {
  type AuthorizationServer,
  approve,
  startAuthorizationServer,
} from "../../fixtures/authorization-server.ts";
import { openCallback, readClaimCode, requestAuthorizeUrl, setUpProvider } from "../../oauth.ts";
import { copyFolder, freshFolder, type RunningServer, serve, signalbox } from "../kit.ts";
import { createClient } from "../oauth.ts";
import { readBlocks } from "./blocks.ts";

export interface Demo {
  dataDir: string;
  /** A data folder that nobody uses. */
  emptyFolder: string;
  key: string;
  password: string;
}

export const demoOwner = "ada@northwind.example";
export const password = "correct horse battery";

/** A data folder with the demo, for `openInstance`. */
export async function createDemo(emptyFolder: string): Promise<Demo> {
  const dataDir = copyFolder(emptyFolder);
  const { code, stdout, stderr } = await signalbox(["demo", "--json"], dataDir);
  if (code !== 0) throw new Error(stderr);
  const made = JSON.parse(stdout) as { key: string; password: string };
  return { dataDir, emptyFolder, key: made.key, password: made.password };
}

type Auth = Record<string, string>;

/** A server with the demo, and the files that a reader of the document has. */
export interface Instance extends Demo {
  server: RunningServer;
  home: string;
  /** The session of the owner, where it is not the demo's. */
  token?: string;
  authorizationServer?: AuthorizationServer;
  /** The body of a successful reply. */
  ask(path: string, body?: unknown, auth?: Auth): Promise<Body>;
  /** Signs in, after creating the account and the organization if they do not exist. */
  signIn(email: string, slug?: string): Promise<string>;
}

/** `isEmpty`: without the demo, as after the first start. */
export async function openInstance(demo: Demo, { isEmpty = false } = {}): Promise<Instance> {
  const dataDir = copyFolder(isEmpty ? demo.emptyFolder : demo.dataDir);
  const server = await serve(dataDir);
  const home = join(freshFolder(), "home");
  const ask: Instance["ask"] = async (path, body, auth = { "x-api-key": instance.key }) => {
    const reply = await server.call(path, { body, headers: auth });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const signIn: Instance["signIn"] = async (email, slug) => {
    const ofDemo = email.endsWith("@northwind.example");
    const account = { email, password: ofDemo ? demo.password : password };
    if (!ofDemo) await ask("/api/auth/sign-up/email", { name: "Ada", ...account }, {});
    const { token } = await ask("/api/auth/sign-in/email", account, {});
    const auth = { authorization: `Bearer ${token}` };
    if (slug) {
      const { items } = await ask("/v1/organizations", undefined, auth);
      if (!items.some((one: { slug: string }) => one.slug === slug))
        await ask("/v1/organizations", { name: "Acme", slug }, auth);
    }
    return token;
  };
  writeFiles(home, demo.key);
  const instance: Instance = { ...demo, dataDir, server, home, ask, signIn };
  return instance;
}

/** An instance with the account, the organization and the key of docs/start.md, for guides. */
export async function openInstanceOfAcme(demo: Demo): Promise<Instance> {
  const instance = await openInstance(demo, { isEmpty: true });
  const token = await instance.signIn("ada@example.com", "acme");
  const { key } = await instance.ask(
    "/v1/api-keys",
    { name: "my laptop" },
    { authorization: `Bearer ${token}` },
  );
  return Object.assign(instance, { token, key, password });
}

function writeFiles(home: string, key: string): void {
  for (const folder of ["secrets", ".config/signalbox", "checkout"])
    mkdirSync(join(home, folder), { recursive: true });
  const write = (file: string, text: string, mode = 0o600) =>
    writeFileSync(join(home, file), `${text}\n`, { mode });
  for (const file of ["secrets/signalbox.key", ".config/signalbox/key"]) write(file, key);
  const automation = { name: "From a file", instructions: "Look.", schedule: { kind: "manual" } };
  write("automation.json", JSON.stringify(automation));
  write("report.md", "Write the report.");
  write("deploy.sh", "#!/bin/sh", 0o700);
  const script = readBlocks("docs/runner.md").find(({ text }) => text.includes("# nightly.sh:"))!;
  write("nightly.sh", script.text, 0o700);
}

const providerId = "acme-id";

/** Connects the owner's account at a provider on loopback; `claim` leaves the last step to the document. */
export async function connectAccount(
  instance: Instance,
  { query = "", claim = false }: { query?: string; claim?: boolean } = {},
): Promise<{ providerId: string; connectionId: string; code: string }> {
  const { server, ask, signIn } = instance;
  const token = instance.token ?? (await signIn(demoOwner));
  const auth = { authorization: `Bearer ${token}` };
  const door = createClient(server.url);
  if (!instance.authorizationServer) {
    const callback = `${server.url}/v1/oauth-providers/${providerId}/connect/callback`;
    instance.authorizationServer = await startAuthorizationServer({ redirectUris: [callback] });
    await setUpProvider(door, auth, instance.authorizationServer);
  }
  const back = await approve(await requestAuthorizeUrl(door, auth, providerId, query));
  const page = await openCallback(door, back, claim ? undefined : { token });
  if (page.status !== 200) throw new Error(`not connected: ${page.status} ${page.body}`);
  const connections = await ask(`/v1/oauth-connections?providerId=${providerId}`, undefined, auth);
  return { providerId, connectionId: connections.items[0]?.id, code: claim ? readClaimCode(page.body) : "" };
}
