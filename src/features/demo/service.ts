import { randomBytes } from "node:crypto";
import type { Caller, Ctx, MemberCtx, Platform, UserCtx, UserId } from "../../platform/context.ts";
import { OperatorError } from "../../platform/errors.ts";
import { hashSecret } from "../../platform/secrets.ts";
import { createApiKey } from "../api-keys/index.ts";
import { hasUsers, resolveSession, signUp } from "../auth/index.ts";
import { addMember } from "../members/index.ts";
import { createOrganization } from "../organizations/index.ts";

export interface DemoWorkspace {
  organization: { id: string; name: string; slug: string };
  people: { name: string; email: string; role: string }[];
  /** The same for everybody. */
  password: string;
  key: string;
}

// The domain ends in a name that is reserved for examples: nobody can own it, no mail ever leaves for it.
const people = [
  { name: "Ada Lindqvist", email: "ada@northwind.example", role: "owner" },
  { name: "Bruno Okafor", email: "bruno@northwind.example", role: "admin" },
  { name: "Chiara Rossi", email: "chiara@northwind.example", role: "member" },
  { name: "Dev Patel", email: "dev@northwind.example", role: "member" },
] as const;

/** A workspace to try things on, made as people would make it. */
export async function fillDemo(platform: Platform): Promise<DemoWorkspace> {
  if (await hasUsers(platform.db)) {
    throw new OperatorError(
      "This instance has people in it already. The demo only fills an empty one: choose another DATA_DIR or DATABASE_URL.",
    );
  }
  const password = randomBytes(12).toString("base64url");
  // A key ring of its own makes the room of accounts build what it keeps per instance anew, without mail.
  const quiet: Platform = { ...platform, keyring: { ...platform.keyring }, mail: { send: async () => {} } };
  const tokens: string[] = [];
  for (const { name, email } of people) {
    tokens.push((await signUp(contextOf(quiet), { name, email, password })).token);
  }
  const { organization, key } = await platform.db.transaction((tx) => fill({ ...platform, db: tx }, tokens));
  const { id, name, slug } = organization;
  return { organization: { id, name, slug }, people: [...people], password, key };
}

async function fill(platform: Platform, [ofOwner, ...ofOthers]: string[]) {
  const { organization } = await createOrganization(await contextOfSession(platform, ofOwner!), {
    name: "Northwind Robotics",
  });
  const owner = (await contextOfSession(platform, ofOwner!)) as MemberCtx;
  for (const [i, token] of ofOthers.entries()) {
    const { userId } = await contextOfSession(platform, token);
    await addMember(platform.db, owner.orgId, userId, people[i + 1]!.role);
  }
  const { key } = await createApiKey(owner, { name: "demo" });
  return { organization, key };
}

const contextOf = (platform: Platform, caller?: Caller): Ctx => ({
  ...platform,
  requestId: "demo",
  caller,
  address: "127.0.0.1",
  userAgent: "signalbox demo",
});

/** What a request with that session would be given. */
async function contextOfSession(platform: Platform, token: string): Promise<UserCtx> {
  const caller = await resolveSession(platform.db, hashSecret(token), undefined);
  if (!caller?.userId) throw new Error("A session that was just made is not there.");
  const member = caller.member && { member: caller.member, orgId: caller.member.orgId };
  return { ...contextOf(platform, caller), userId: caller.userId satisfies UserId, ...member } as UserCtx;
}
