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

/** A workspace to try things on. All of it or nothing, so that a second attempt finds an empty instance. */
export function fillDemo(platform: Platform): Promise<DemoWorkspace> {
  return platform.db.transaction(async (tx) => {
    if (await hasUsers(tx)) {
      throw new OperatorError(
        "This instance has people in it already. The demo only fills an empty one: choose another DATA_DIR or DATABASE_URL.",
      );
    }
    // A key ring of its own makes the rooms build what they keep per instance on this transaction, too.
    return fill({ ...platform, db: tx, keyring: { ...platform.keyring }, mail: { send: async () => {} } });
  });
}

async function fill(platform: Platform): Promise<DemoWorkspace> {
  const password = randomBytes(12).toString("base64url");
  const [owner, ...others] = people;
  const sessionOf = async ({ name, email }: { name: string; email: string }) =>
    (await signUp(contextOf(platform), { name, email, password })).token;

  const token = await sessionOf(owner);
  const { organization } = await createOrganization(await contextOfSession(platform, token), {
    name: "Northwind Robotics",
  });
  const asOwner = (await contextOfSession(platform, token)) as MemberCtx;
  for (const person of others) {
    const { userId } = await contextOfSession(platform, await sessionOf(person));
    await addMember(platform.db, asOwner.orgId, userId, person.role);
  }
  const { key } = await createApiKey(asOwner, { name: "demo" });
  const { id, name, slug } = organization;
  return { organization: { id, name, slug }, people: [...people], password, key };
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
