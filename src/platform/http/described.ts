import type { RouteSpec } from "./route.ts";

/** In tests: throws when the contract does not describe the reply. */
export function assertDescribed(
  schema: RouteSpec["replies"][number] | undefined,
  body: unknown,
  name: string,
  status: number,
) {
  if (schema === undefined) throw new Error(`${name} replied ${status}, which its contract does not list.`);
  if (schema === null) {
    if (body !== undefined) throw new Error(`${name} replied ${status} with a body, its contract says none.`);
    return;
  }
  const wire = JSON.parse(JSON.stringify(body ?? null));
  const checked = schema.safeParse(wire);
  if (!checked.success)
    throw new Error(
      `${name} replied ${status} with a body its contract does not describe: ${checked.error.message}`,
    );
}
