import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export const room = defineRoom({
  name: "invitations",
  tags: [{ name: "Invitations", description: "Invite people to the organization." }],
  routes,
  permissions: ["members:invite"] satisfies Permission[],
});
