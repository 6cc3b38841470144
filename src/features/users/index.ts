import { defineRoom } from "../../platform/rooms.ts";
import { routes } from "./routes.ts";

export type { Me } from "./contract.ts";

export const room = defineRoom({
  name: "users",
  tags: [{ name: "Users", description: "The signed-in person." }],
  routes,
});
