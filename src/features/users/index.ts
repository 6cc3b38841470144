import { defineRoom } from "../../platform/rooms.ts";
import { routes } from "./routes.ts";

export const room = defineRoom({
  name: "users",
  tags: [{ name: "Users", description: "The signed-in person." }],
  routes,
});
