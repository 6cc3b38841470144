import type { Platform } from "../../platform/context.ts";
import { protocol } from "../../platform/http/index.ts";
import { renderScimError, ScimError } from "./errors.ts";

/** SCIM 2.0 (RFC 7643, RFC 7644): its media type and its errors. */
export const scim = protocol({
  prefix: "/scim/v2",
  mediaTypes: ["application/scim+json", "application/json"],
  error: { schema: ScimError, render: renderScimError },
});

export const createBaseUrl = ({ publicUrl }: Pick<Platform["config"], "publicUrl">) =>
  `${publicUrl.replace(/\/+$/, "")}${scim.prefix}`;
