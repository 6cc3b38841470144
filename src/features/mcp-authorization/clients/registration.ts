import type { Ctx } from "../../../platform/context.ts";
import { type ClientMetadata, ClientProblem, readMetadata } from "./metadata.ts";
import { makeRoom } from "./room.ts";

/** Checks a registration (RFC 7591), and returns the metadata to register. */
export async function prepareRegistration({ db }: Ctx, body: Buffer): Promise<ClientMetadata> {
  let given: unknown;
  try {
    given = JSON.parse(body.toString());
  } catch {
    throw new ClientProblem("invalid_client_metadata", "The body is not JSON.");
  }
  const metadata = readMetadata(given);
  await makeRoom(db, "dynamic");
  return metadata;
}
